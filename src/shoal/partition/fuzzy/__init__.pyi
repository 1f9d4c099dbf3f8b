from shoal.partition.fuzzy.at_least_k import AtLeastK as AtLeastK
from shoal.partition.fuzzy.cmeans import CMeans as CMeans
from shoal.partition.fuzzy.cmeans import FuzzyCMeans as FuzzyCMeans
from shoal.partition.fuzzy.cmeans import NoiseClustering as NoiseClustering
from shoal.partition.fuzzy.entropy import EntropyFuzzyCMeans as EntropyFuzzyCMeans
from shoal.partition.fuzzy.possibilistic import FuzzyPossibilisticCMeans as FuzzyPossibilisticCMeans
from shoal.partition.fuzzy.possibilistic import PossibilisticCMeans as PossibilisticCMeans
from shoal.partition.fuzzy.regression import FuzzyCRegression as FuzzyCRegression

from shoal import datasets as datasets
from shoal import describe as describe
from shoal import edits as edits
from shoal import errors as errors
from shoal import measure as measure
from shoal import partition as partition
from shoal import read as read
from shoal import recode as recode
from shoal import replace as replace
from shoal import write as write
from shoal.describe import describe_table as describe_table
from shoal.edits import read_edits as read_edits
from shoal.flow.job.reading import read_job as read_job
from shoal.flow.plan import Plan as Plan
from shoal.flow.protect import protect as protect
from shoal.flow.release import Release as Release
from shoal.measure import Evaluation as Evaluation
from shoal.measure import evaluate as evaluate
from shoal.read import read_table as read_table
from shoal.search.comparison import Comparison as Comparison
from shoal.search.comparison import compare as compare
from shoal.search.tune import tune as tune
from shoal.search.tuning import Tuning as Tuning
from shoal.write import write_table as write_table

__version__: str

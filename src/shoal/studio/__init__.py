"""The local web app: the flow in the browser, on the user's own machine."""

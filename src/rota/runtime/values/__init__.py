"""Large arguments and results: loaded and stored beside the attempts."""

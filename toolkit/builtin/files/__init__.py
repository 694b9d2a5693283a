"""Files beneath one directory: reached without a way out, listed as git lists them, compared and edited."""

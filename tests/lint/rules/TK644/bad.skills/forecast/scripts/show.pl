#!/usr/bin/env any

"""Tests of the household room."""

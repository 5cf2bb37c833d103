"""Operations on what jobs are: releases."""

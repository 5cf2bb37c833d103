import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

afterEach(cleanup);

// A machine that does something else meanwhile is slow, not wrong.
configure({ asyncUtilTimeout: 10_000 });

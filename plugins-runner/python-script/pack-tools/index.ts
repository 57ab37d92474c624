import type { PackTools } from "../../../core/contract/index.ts";
import type { Engines } from "../engines.ts";
import { inspectFiles } from "./inspect-files.ts";
import { runTests } from "./run-tests.ts";

/** Looks at Python files of packs, and runs their unit tests. `pythonPaths`: directories with modules that packs import. */
export function createPackTools(engines: Engines, pythonPaths: () => readonly string[]): PackTools {
	return {
		inspect: (pack) => inspectFiles(engines, pack),
		test: (request) => runTests(engines, request, pythonPaths()),
	};
}

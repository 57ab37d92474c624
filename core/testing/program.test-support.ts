import { fileURLToPath } from "node:url";

/**
 * Arguments with which Node runs a module beside a test as a program: the source as the test was run from sources, or what it
 * was built into.
 *
 * @param name path of the module relative to the test's, without its ending
 * @param test `import.meta.url` of the test
 */
export function toProgram(name: string, test: string): readonly string[] {
	const file = (ending: string) => fileURLToPath(new URL(`${name}.${ending}`, test));
	return test.endsWith(".ts") ? ["--import", import.meta.resolve("tsx"), file("ts")] : [file("js")];
}

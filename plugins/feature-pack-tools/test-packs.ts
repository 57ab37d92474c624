import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { PackTestOptions, PackTests } from "../../core/cli.ts";
import { type PackTestResult, toErrorMessage } from "../../core/contract/index.ts";
import { createExpressions, type PackTest, type RunTestsOptions, runTests, testsOf } from "../../core/feature.ts";
import { type DryRunPacks, dryRunPacks } from "./dry-run-packs.ts";
import { findPacks } from "./find-packs.ts";
import { findDefinitions } from "./inspect-definitions.ts";
import { inspectPack, type PackInspection } from "./inspect-pack.ts";
import { type PackToolsResult, withPackTools } from "./pack-tools.ts";
import { findRuleTests } from "./rule-cases.ts";

const kind = "workflow";

/** Returns the test cases of workflows. Their files are next to the definitions: `deploy.test.yaml` for `deploy.yaml`. */
export async function findWorkflowTests(inspection: PackInspection, { runners }: DryRunPacks): Promise<readonly PackTest[]> {
	const tests: PackTest[] = [];
	for (const { file: definition, runner, text } of await findDefinitions(inspection, { runners })) {
		const file = definition.replace(/\.(?:ya?ml|json)$/, "").concat(".test.yaml");
		if (!inspection.files.includes(file)) continue;
		const definitions = runners.get(runner)?.definitions;
		if (definitions?.test === undefined) {
			tests.push({ kind, file, name: "cases", skipped: `definitions for "${runner}" cannot be tested with cases`, run: async () => [] });
			continue;
		}
		const read = async () => {
			const cases = await readFile(join(inspection.directory, file), "utf8");
			const results = (await definitions.test?.(text, cases, { expressions: createExpressions() })) ?? [];
			return results.map(({ name, problems }): PackTest => ({ kind, file, name, run: async () => problems }));
		};
		tests.push(...(await testsOf(kind, file, read)));
	}
	return tests;
}

/** Functions that find the test cases of a pack. */
const finders: readonly ((inspection: PackInspection, drafted: DryRunPacks) => Promise<readonly PackTest[]>)[] = [
	findWorkflowTests,
	findRuleTests,
	findReaderTests,
];

/** Returns the test cases of the kinds of files that features define. */
async function findReaderTests(inspection: PackInspection, { config, storage }: DryRunPacks): Promise<readonly PackTest[]> {
	const tests = config.fileReaders.map(async (reader) => (await reader.findTests?.(inspection, storage)) ?? []);
	return (await Promise.all(tests)).flat();
}

/** Runs the tests that packs contain: test cases of workflows, rules and aliases, and unit tests in the languages of the runners. */
export async function testPacks({ directories, config, only, signal }: PackTestOptions): Promise<readonly PackTests[]> {
	const packs = await findPacks(directories);
	const drafted = await dryRunPacks(config, packs);
	return withPackTools(drafted, async (tools) => {
		const tests: PackTests[] = [];
		for (const directory of packs) {
			const inspection = await inspectPack(directory, { readers: drafted.config.fileReaders, ...drafted });
			const cases = await runCases(inspection, drafted, { only, signal });
			const units = await runUnitTests(inspection, tools, { only, signal });
			tests.push({ pack: inspection.ref, directory, results: [...cases, ...units] });
		}
		return tests;
	});
}

async function runCases(inspection: PackInspection, drafted: DryRunPacks, options: RunTestsOptions): Promise<readonly PackTestResult[]> {
	const results: PackTestResult[] = [];
	for (const find of finders) results.push(...(await runTests(await find(inspection, drafted), options)));
	return results;
}

async function runUnitTests(
	{ ref, directory }: PackInspection,
	started: readonly PackToolsResult[],
	{ only, signal }: RunTestsOptions,
): Promise<readonly PackTestResult[]> {
	const results: PackTestResult[] = [];
	for (const { runner, tools, failure } of started) {
		const result = { kind: runner, file: "tests", name: "unit tests can be run", milliseconds: 0 };
		if (tools === undefined) {
			results.push({ ...result, problems: [], skipped: toErrorMessage(failure) });
			continue;
		}
		try {
			results.push(...((await tools.test?.({ pack: ref, directory, signal, only })) ?? []));
		} catch (error) {
			signal.throwIfAborted();
			results.push({ ...result, problems: [toErrorMessage(error)] });
		}
	}
	return results;
}

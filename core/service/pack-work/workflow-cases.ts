import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { PackInspection } from "../../features/packs/inspect-pack-api.ts";
import { createExpressions } from "../../language/expressions/expressions.ts";
import type { DraftedPacks } from "./draft-packs.ts";
import { findDefinitions } from "./inspect-definitions.ts";
import { type PackTest, testsOf } from "./run-tests.ts";

const kind = "workflow";

/** Cases of workflows, which stand beside their definitions: `deploy.test.yaml` for `deploy.yaml`. */
export async function findWorkflowTests(inspection: PackInspection, { runners }: DraftedPacks): Promise<readonly PackTest[]> {
	const tests: PackTest[] = [];
	for (const { file: definition, runner, text } of await findDefinitions(inspection, { runners })) {
		const file = definition.replace(/\.(?:ya?ml|json)$/, "").concat(".test.yaml");
		if (!inspection.files.includes(file)) continue;
		const definitions = runners.get(runner)?.definitions;
		if (definitions?.test === undefined) {
			tests.push({ kind, file, name: "cases", skipped: `definitions for "${runner}" cannot be tried with cases`, run: async () => [] });
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

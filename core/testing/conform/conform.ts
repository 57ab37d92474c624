import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { inspect } from "node:util";
import type { ConformOptions, ConformReport, ConformStatement } from "../../cli/context.ts";
import { SvcError } from "../../contract/index.ts";
import { importModule } from "../../service/import-module.ts";
import { runKit } from "../run-kit.ts";
import { toKit } from "./to-kit.ts";

/**
 * Runs the conformance kit for a kind of plugin on the exports of a module. Throws `SVC_CONFIG` with the required export if the module
 * lacks it.
 */
export async function conform({ kind, module, only = "", timeout, times }: ConformOptions): Promise<ConformReport> {
	const path = resolve(module);
	if (!existsSync(path)) throw new SvcError("SVC_CONFIG", `module "${path}" does not exist`);
	const kit = toKit(kind, path, await importModule(path, "module", { interopDefault: false }));
	const statements: ConformStatement[] = [];
	for (let round = 1; round <= times; round++) {
		const results = await runKit(kit.register, { timeout, only: (name) => name.includes(only) });
		if (results.length === 0) throw new SvcError("SVC_CONFIG", `--only: no statement of the kit contains "${only}"`);
		statements.push(
			...results.map(({ error, ...result }) => ({ ...result, round, error: error === undefined ? undefined : toText(error) })),
		);
		if (results.some(({ error }) => error !== undefined)) break;
	}
	return { kind, name: kit.name, module: path, statements, leftOut: kit.leftOut };
}

function toText(error: unknown): string {
	return error instanceof Error ? (error.stack ?? error.message) : inspect(error);
}

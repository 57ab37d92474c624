import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { DefinitionOptions, LocalDefinitions } from "../cli/context.ts";
import {
	type DefinitionServices,
	type DialectPlugin,
	type RunnerPlugin,
	SvcError,
	type WorkflowDefinitionSupport,
} from "../contract/index.ts";
import { Dialects } from "../language/dialects.ts";
import { createExpressions } from "../language/expressions/expressions.ts";
import { loadConfig } from "./load-config.ts";
import { packageFile } from "./version.ts";

const configName = "svc.config.ts";

/**
 * Returns functions that inspect and test workflow definitions with a runner of a configuration. Starts nothing and does not check whether
 * actions exist. Throws `SVC_CONFIG` if the configuration cannot be read, or if it has no such runner.
 */
export async function openWorkflowTools({ config, runner: name }: DefinitionOptions): Promise<LocalDefinitions> {
	const file = findConfig(config);
	const { runners, dialects } = await loadConfig(file);
	const plugin = (Array.isArray(runners) ? (runners as readonly RunnerPlugin[]) : []).find((one) => one?.name === name);
	const definitions: WorkflowDefinitionSupport | undefined = plugin?.create().definitions;
	if (definitions === undefined) {
		const problem = plugin === undefined ? "is not one of its runners" : "reads no definitions";
		throw new SvcError("SVC_CONFIG", `--runner: "${name}" ${problem}, in the configuration "${file}"; hint: --config <file>`);
	}
	const known = Array.isArray(dialects) ? (dialects as readonly DialectPlugin[]).map((one) => one.create()) : [];
	const tools: DefinitionServices = { expressions: createExpressions(new Dialects(known)) };
	return {
		inspect: (text) => definitions.inspect(text, tools),
		graph: (text) => definitions.graph(text),
		async test(text, cases) {
			if (definitions.test === undefined) {
				throw new SvcError("SVC_INVALID", `--runner: definitions for "${name}" cannot be tested with cases`);
			}
			return definitions.test(text, cases, tools);
		},
	};
}

/**
 * Returns the given configuration file, otherwise the one in the working directory, otherwise that of the package, with which a pack can be
 * tested without a configuration.
 */
export function findConfig(given: string | undefined): string {
	if (given !== undefined) return resolve(given);
	const own = resolve(configName);
	return existsSync(own) || packageFile === undefined ? own : join(dirname(packageFile), configName);
}

import { isSvcError, type NodeRole, type PluginContext, toErrorMessage } from "../../contract/index.ts";
import type { CreatedPlugin } from "./create-plugins.ts";
import { shouldStart } from "./plugin-roles.ts";

/**
 * Calls `check` of the plugins that a node with these roles will start. Returns the problems of their options; each problem begins with its
 * path in the configuration.
 */
export async function findOptionProblems(
	plugins: readonly CreatedPlugin[],
	roles: readonly NodeRole[],
	toContext: (plugin: CreatedPlugin) => PluginContext,
): Promise<readonly string[]> {
	const startedPlugins = plugins.filter(({ kind, instance }) => shouldStart(kind, roles, instance));
	const problems = await Promise.all(
		startedPlugins.map(async (plugin) => {
			const { path, instance } = plugin;
			try {
				await instance.check?.(toContext(plugin));
				return [];
			} catch (error) {
				return toProblems(error).map((problem) => (hasPath(problem, path) ? problem : `${path}: ${problem}`));
			}
		}),
	);
	return problems.flat();
}

/** Returns the problems that an error lists in its facts. If it lists none, returns its message. */
function toProblems(error: unknown): readonly string[] {
	const problems = isSvcError(error) ? error.facts["problems"] : undefined;
	return Array.isArray(problems) && problems.length > 0 ? problems.map(String) : [toErrorMessage(error)];
}

/** Returns true if a problem already begins with its path. */
function hasPath(problem: string, path: string): boolean {
	return problem.startsWith(`${path}.`) || problem.startsWith(`${path}:`);
}

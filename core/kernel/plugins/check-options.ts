import { isSvcError, type Lifecycle, type NodeRole, type PluginContext, type PluginKind, toErrorMessage } from "../../contract/index.ts";
import type { CreatedPlugins } from "./create-plugins.ts";
import type { EngineDependencies } from "./engine-dependencies.ts";
import { shouldStart } from "./plugin-roles.ts";

export interface CheckedPlugins {
	readonly composition: EngineDependencies["composition"];
	readonly plugins: Pick<CreatedPlugins, "eventBus" | "authBackend" | "runners" | "sensors" | "dialects" | "telemetry"> & {
		readonly storage: Lifecycle;
	};
	readonly roles: readonly NodeRole[];
}

interface CheckedPlugin {
	/** Path in the configuration. */
	readonly path: string;
	readonly kind: PluginKind;
	readonly name: string;
	readonly instance: Lifecycle | undefined;
}

/**
 * Calls `check` of the plugins that this node will start. Returns the problems of their options; each problem begins with its path in the
 * configuration.
 */
export async function findOptionProblems(checked: CheckedPlugins, toContext: (name: string) => PluginContext): Promise<readonly string[]> {
	const startedPlugins = listPlugins(checked).filter(({ kind, instance }) => shouldStart(kind, checked.roles, instance));
	const problems = await Promise.all(
		startedPlugins.map(async ({ path, kind, name, instance }) => {
			try {
				await instance?.check?.(toContext(`${kind.replace("-", " ")} ${name}`));
				return [];
			} catch (error) {
				return toProblems(error).map((problem) => (hasPath(problem, path) ? problem : `${path}: ${problem}`));
			}
		}),
	);
	return problems.flat();
}

function listPlugins({ composition, plugins }: CheckedPlugins): readonly CheckedPlugin[] {
	const { storage, eventBus, authBackend, runners, sensors, dialects, telemetry } = composition;
	return [
		...telemetry.map((plugin, index) => ({ path: `telemetry[${index}]`, ...toKindAndName(plugin), instance: plugins.telemetry[index] })),
		{ path: "storage", ...toKindAndName(storage), instance: plugins.storage },
		{ path: "event_bus", ...toKindAndName(eventBus), instance: plugins.eventBus },
		...(authBackend === undefined ? [] : [{ path: "auth.backend", ...toKindAndName(authBackend), instance: plugins.authBackend }]),
		...dialects.map((plugin, index) => ({ path: `dialects[${index}]`, ...toKindAndName(plugin), instance: plugins.dialects[index] })),
		...runners.map((plugin, index) => ({
			path: `runners[${index}]`,
			...toKindAndName(plugin),
			instance: plugins.runners.get(plugin.name),
		})),
		...sensors.map((plugin, index) => ({
			path: `sensors[${index}]`,
			...toKindAndName(plugin),
			instance: plugins.sensors.get(plugin.name),
		})),
	];
}

function toKindAndName({ kind, name }: { readonly kind: PluginKind; readonly name: string }) {
	return { kind, name };
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

import { isSvcError, type Lifecycle, type NodeRole, type PluginContext, type PluginKind, toErrorMessage } from "../../contract/index.ts";
import type { CreatedPlugins } from "./create-plugins.ts";
import type { EngineDependencies } from "./engine-dependencies.ts";
import { isStarted } from "./started-kinds.ts";

export interface CheckedPlugins {
	readonly composition: EngineDependencies["composition"];
	readonly plugins: Pick<CreatedPlugins, "eventBus" | "authBackend" | "runners" | "sensors" | "dialects" | "telemetry"> & {
		readonly storage: Lifecycle;
	};
	readonly roles: readonly NodeRole[];
}

interface Checked {
	/** Place in the configuration. */
	readonly path: string;
	readonly kind: PluginKind;
	readonly name: string;
	readonly instance: Lifecycle | undefined;
}

/** What the plugins that a node starts say is wrong with their options, each with its place in the configuration. */
export async function findOptionProblems(checked: CheckedPlugins, toContext: (name: string) => PluginContext): Promise<readonly string[]> {
	const started = listChecked(checked).filter(({ kind, instance }) => isStarted(kind, checked.roles, instance));
	const found = await Promise.all(
		started.map(async ({ path, kind, name, instance }) => {
			try {
				await instance?.check?.(toContext(`${kind.replace("-", " ")} ${name}`));
				return [];
			} catch (error) {
				return toProblems(error).map((problem) => (isPlaced(problem, path) ? problem : `${path}: ${problem}`));
			}
		}),
	);
	return found.flat();
}

function listChecked({ composition, plugins }: CheckedPlugins): readonly Checked[] {
	const { storage, eventBus, authBackend, runners, sensors, dialects, telemetry } = composition;
	return [
		...telemetry.map((plugin, index) => ({ path: `telemetry[${index}]`, ...toNamed(plugin), instance: plugins.telemetry[index] })),
		{ path: "storage", ...toNamed(storage), instance: plugins.storage },
		{ path: "event_bus", ...toNamed(eventBus), instance: plugins.eventBus },
		...(authBackend === undefined ? [] : [{ path: "auth.backend", ...toNamed(authBackend), instance: plugins.authBackend }]),
		...dialects.map((plugin, index) => ({ path: `dialects[${index}]`, ...toNamed(plugin), instance: plugins.dialects[index] })),
		...runners.map((plugin, index) => ({ path: `runners[${index}]`, ...toNamed(plugin), instance: plugins.runners.get(plugin.name) })),
		...sensors.map((plugin, index) => ({ path: `sensors[${index}]`, ...toNamed(plugin), instance: plugins.sensors.get(plugin.name) })),
	];
}

function toNamed({ kind, name }: { readonly kind: PluginKind; readonly name: string }) {
	return { kind, name };
}

function toProblems(error: unknown): readonly string[] {
	const problems = isSvcError(error) ? error.facts["problems"] : undefined;
	return Array.isArray(problems) && problems.length > 0 ? problems.map(String) : [toErrorMessage(error)];
}

/** Whether a problem begins with its place already. */
function isPlaced(problem: string, path: string): boolean {
	return problem.startsWith(`${path}.`) || problem.startsWith(`${path}:`);
}

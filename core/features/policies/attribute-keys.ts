import type { ExecutionEntity, Storage } from "../../contract/index.ts";
import { hashParameters } from "../../kernel/events/trigger-catalog.ts";
import type { ActionCatalog } from "../../kernel/executions/action-catalog.ts";
import { toSchemaPair } from "../../language/parameters/schema-pair.ts";
import { addToCache } from "../../lib/bounded-cache.ts";

/** Maximum number of cached keys. A cached key never becomes outdated, because a waiting execution keeps its parameters. */
const limit = 20_000;

/** Keys by which policies recognize executions with equal values of the compared parameters. */
export interface AttributeKeys {
	/** Returns a key for each execution. Executions with equal values of `attributes` have equal keys. */
	keysOf(ids: readonly string[], attributes: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

export function createAttributeKeys({ storage, catalog }: { readonly storage: Storage; readonly catalog: ActionCatalog }): AttributeKeys {
	/** Cached keys by attributes and execution id. */
	const kept = new Map<string, string>();

	/** Returns the key of an execution. Absent parameters have the default of the action or its runner. */
	async function toKey({ parameters, snapshot_id }: ExecutionEntity, attributes: readonly string[]): Promise<string> {
		const { action, runner } = await catalog.snapshot(snapshot_id);
		const { defaults } = toSchemaPair(runner.runner_parameters, action.parameters);
		const toValue = (name: string) => (Object.hasOwn(parameters, name) ? parameters[name] : undefined) ?? defaults.get(name)?.value ?? null;
		// Use a hash, because values may be long or secret.
		return hashParameters({ values: attributes.map(toValue) });
	}

	return {
		async keysOf(ids, attributes) {
			const prefix = `${attributes.join()} `;
			const keys = new Map<string, string>();
			const unknown: string[] = [];
			for (const id of ids) {
				const known = kept.get(prefix + id);
				if (known === undefined) unknown.push(id);
				else keys.set(id, known);
			}
			if (unknown.length === 0) return keys;
			for (const execution of await storage.find("execution", { where: { id: { in: unknown } }, fields: ["snapshot_id", "parameters"] })) {
				const key = await toKey(execution, attributes);
				addToCache(kept, prefix + execution.id, key, limit);
				keys.set(execution.id, key);
			}
			return keys;
		},
	};
}

import type { ExecutionEntity, Storage } from "../../contract/index.ts";
import { hashParameters } from "../../kernel/events/trigger-catalog.ts";
import type { ActionCatalog } from "../../kernel/executions/action-catalog.ts";
import { toSchemaPair } from "../../language/parameters/schema-pair.ts";

/** Executions whose values are kept in memory: what waits keeps its parameters. */
const limit = 20_000;

/** Says which executions have equal values of the parameters that a policy compares. */
export interface AttributeKeys {
	/** A text for each execution, equal where the values of `attributes` are. */
	keysOf(ids: readonly string[], attributes: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

export function createAttributeKeys({ storage, catalog }: { readonly storage: Storage; readonly catalog: ActionCatalog }): AttributeKeys {
	/** By attributes and execution. */
	const kept = new Map<string, string>();

	/** What is not given has the default of the action, or of its runner. */
	async function toKey({ parameters, snapshot_id }: ExecutionEntity, attributes: readonly string[]): Promise<string> {
		const { action, runner } = await catalog.snapshot(snapshot_id);
		const { defaults } = toSchemaPair(runner.runner_parameters, action.parameters);
		const toValue = (name: string) => (Object.hasOwn(parameters, name) ? parameters[name] : undefined) ?? defaults.get(name)?.value ?? null;
		// Values may be long, and secret.
		return hashParameters({ values: attributes.map(toValue) });
	}

	return {
		async keysOf(ids, attributes) {
			const prefix = `${attributes.join()} `;
			const unknown = ids.filter((id) => !kept.has(prefix + id));
			const found =
				unknown.length === 0
					? []
					: await storage.find("execution", { where: { id: { in: unknown } }, fields: ["snapshot_id", "parameters"] });
			if (kept.size + found.length > limit) kept.clear();
			const keys = new Map<string, string>();
			for (const id of ids) {
				const known = kept.get(prefix + id);
				if (known !== undefined) keys.set(id, known);
			}
			for (const execution of found) {
				const key = await toKey(execution, attributes);
				kept.set(prefix + execution.id, key);
				keys.set(execution.id, key);
			}
			return keys;
		},
	};
}

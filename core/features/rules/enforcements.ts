import { type RuleEnforcementEntity, type Storage, SvcError } from "../../contract/index.ts";
import { toOneOf } from "../../kernel/basics/filter.ts";
import { isId } from "../../kernel/basics/ids.ts";
import { readPage } from "../../kernel/basics/page.ts";
import type { Executions } from "../../kernel/executions/executions-api.ts";
import type { EnforcementFilter, Enforcements } from "./rules-api.ts";

const newestFirst = [
	["enforced_at", "desc"],
	["rule_ref", "asc"],
] as const;

export function createEnforcements(parts: { readonly storage: Storage; readonly executions: Pick<Executions, "list"> }): Enforcements {
	const { storage, executions } = parts;

	return {
		list: (filter, { orderBy = newestFirst, ...paging }) =>
			readPage(storage, "rule_enforcement", { where: toWhere(filter), orderBy, ...paging }),

		async get(id) {
			const found = isId(id) ? await storage.get("rule_enforcement", id) : undefined;
			if (found === undefined) throw new SvcError("SVC_NOT_FOUND", `rule enforcement "${id}" cannot be found`);
			return found;
		},

		async details(enforcements) {
			const instanceIds = [...new Set(enforcements.map((enforcement) => enforcement.trigger_instance_id))];
			const executionIds = enforcements.flatMap(({ execution_id }) => execution_id ?? []);
			const found = instanceIds.length === 0 ? [] : await storage.find("trigger_instance", { where: { id: { in: instanceIds } } });
			const { items } = await executions.list({ filter: { id: executionIds }, children: false });
			const instances = new Map(found.map((instance) => [instance.id, instance]));
			const views = new Map(items.map((view) => [view.entity.id, view]));
			return enforcements.map((enforcement) => ({
				enforcement,
				instance: instances.get(enforcement.trigger_instance_id),
				execution: views.get(enforcement.execution_id ?? ""),
			}));
		},
	};
}

function toWhere({ id, ...rest }: EnforcementFilter): { readonly [F in keyof RuleEnforcementEntity]?: never } {
	const given = Object.entries({ ...rest, ...(id !== undefined && { id: toOneOf(id) }) }).filter(([, value]) => value !== undefined);
	return Object.fromEntries(given);
}

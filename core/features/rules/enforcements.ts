import { type RuleEnforcementEntity, type Storage, SvcError, type Where } from "../../contract/index.ts";
import { isId } from "../../kernel/basics/ids.ts";
import { readPage, toInCondition, withTimeOrder } from "../../kernel/basics/pagination.ts";
import type { Executions } from "../../kernel/executions/executions-api.ts";
import { whereRule } from "./rule-ref-history.ts";
import type { EnforcementFilter, Enforcements } from "./rules-api.ts";

const newestFirst = [
	["enforced_at", "desc"],
	["rule_ref", "asc"],
] as const;

export function createEnforcements(parts: { readonly storage: Storage; readonly executions: Pick<Executions, "list"> }): Enforcements {
	const { storage, executions } = parts;

	return {
		async list(filter, { orderBy = newestFirst, ...paging }) {
			const where = await toWhere(storage, filter);
			return readPage(storage, "rule_enforcement", { where, orderBy: withTimeOrder(orderBy, "enforced_at"), ...paging });
		},

		async tracesOf(ruleId, limit) {
			const where = await whereRule(storage, ruleId);
			const found = await storage.find("rule_enforcement", { where, orderBy: [["enforced_at", "desc"]], limit, fields: ["trace_id"] });
			return found.map(({ trace_id }) => trace_id);
		},

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

async function toWhere(storage: Storage, { id, status, ...rest }: EnforcementFilter): Promise<Where<RuleEnforcementEntity>> {
	const { rule_id, rule_ref } = rest;
	const ofRule = rule_id !== undefined && rule_ref === undefined ? await whereRule(storage, rule_id) : {};
	const lists = { ...(id !== undefined && { id: toInCondition(id) }), ...(status !== undefined && { status: toInCondition(status) }) };
	const given = Object.entries({ ...rest, ...ofRule, ...lists });
	return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

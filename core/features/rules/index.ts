import { isSvcError, type RuleEnforcementEntity, type Storage, SvcError, type Where } from "../../contract/index.ts";
import type { HttpFeature } from "../../http/http-feature.ts";
import { isId } from "../../kernel/basics/ids.ts";
import { readPage, toInCondition, withTimeOrder } from "../../kernel/basics/pagination.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { Access } from "../access/access-exports.ts";
import type { RegisterFiles } from "../packs/pack-files-exports.ts";
import type { TriggersApi } from "../triggers/triggers-exports.ts";
import type { RulesFeatureApi } from "./api.ts";
import { type RegisterRuleDependencies, registerRule } from "./register-rule.ts";
import { ruleRoutes } from "./routes.ts";
import { ruleEnforcementRoutes } from "./rule-enforcements-routes.ts";
import { toRuleInput } from "./rule-file.ts";
import { whereRule } from "./rule-ref-history.ts";
import { createRuleServices } from "./rule-services.ts";
import { ruleTypes } from "./rule-types.ts";
import { ruleViewRoutes } from "./rule-views-routes.ts";
import type { EnforcementFilter, Enforcements, RuleInput, Rules } from "./rules-exports.ts";

export interface RulesDependencies {
	readonly access: Access;
	readonly triggers: TriggersApi;
	readonly registerFiles: RegisterFiles;
	/** Rules that the service creates for another feature. */
	readonly ownRules: OwnRules;
}

/** Creates the feature that handles events: it runs the actions of matching rules. */
export function createRulesFeature(
	kernel: Kernel,
	{ access, triggers, registerFiles, ownRules }: RulesDependencies,
): HttpFeature<RulesFeatureApi> {
	const core = createRuleServices({ ...kernel, access, maskPayloads: (instances) => triggers.instances.maskPayloads(instances) });
	const { rules, principal, reactor } = core;
	return {
		api: { rules, enforcements: createEnforcements(kernel) },
		eventHandler: reactor,
		async register() {
			await registerFiles({
				kind: "rule",
				folder: "rules",
				typeCount: ruleTypes.length,
				toInput: toRuleInput,
				register: (input, { pack, isOverridden, assertPermitted }) =>
					registerRule({ storage: kernel.storage, rules, principal, assertPermitted }, { ...input, pack: pack.ref }, isOverridden),
				remove: (ref) => rules.remove(ref),
			});
			// A dry run for chosen packs must register only these packs.
			if (kernel.dependencies.chosenPacks === undefined) await registerOwnRules({ storage: kernel.storage, rules, principal }, ownRules);
		},
		routes: [...ruleViewRoutes, ...ruleRoutes, ...ruleEnforcementRoutes],
	};
}

/** Rules that the service itself creates in one of its packs. */
interface OwnRules {
	readonly pack: string;
	/** Pattern of their names. A rule of the pack with such a name is removed if it is not in `rules`. */
	readonly name: RegExp;
	readonly rules: readonly RuleInput[];
}

/** Registers the service's own rules and removes the ones that it no longer needs. */
async function registerOwnRules(
	parts: RegisterRuleDependencies & { readonly rules: Pick<Rules, "remove"> },
	{ pack, name, rules }: OwnRules,
): Promise<void> {
	const wanted = new Set(rules.map((rule) => rule.name));
	const known = await parts.storage.find("rule", { where: { pack }, fields: ["ref", "name"] });
	for (const { ref, name: found } of known) if (name.test(found) && !wanted.has(found)) await parts.rules.remove(ref);
	for (const rule of rules) {
		await registerRule(parts, { ...rule, pack }, false).catch((error: unknown) => {
			// Another node that starts at the same time has created the same rule.
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
		});
	}
}

const newestFirst = [
	["enforced_at", "desc"],
	["rule_ref", "asc"],
] as const;

function createEnforcements({ storage, executions }: Pick<Kernel, "storage" | "executions">): Enforcements {
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

import { randomUUID } from "node:crypto";
import { isSvcError, type RuleEntity, type Storage, SvcError, type TriggerEntity } from "../../contract/index.ts";
import { createId, isId } from "../../kernel/basics/ids.ts";
import { type Page, type Paging, readMappedPage, toInCondition } from "../../kernel/basics/pagination.ts";
import { type Principal, toAuthorship } from "../../kernel/basics/principal.ts";
import { findActionSignature } from "../../kernel/executions/action-catalog.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { waitForLoopBudget } from "../../language/event-loop-budget.ts";
import { findRuleProblems } from "../../language/rule-problems.ts";
import { withWorkBudget } from "../../language/work-budget.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { toRuleFields } from "./rule-fields.ts";
import { type RuleTestDependencies, testRule } from "./rule-test.ts";
import type { RuleTriggers } from "./rule-triggers.ts";
import type { RuleFilter, RuleInput, Rules, RuleTestInput, RuleTestOutcome, RuleView } from "./rules-exports.ts";

export interface StoredRulesDependencies extends Omit<RuleTestDependencies, "rules">, Pick<Kernel, "changes" | "catalog"> {
	readonly triggers: RuleTriggers;
}

/** Maximum number of attempts to write a rule whose trigger is created or removed concurrently. */
const attempts = 5;

/** Rules in the storage. */
export class StoredRules implements Rules {
	readonly #parts: StoredRulesDependencies;

	constructor(parts: StoredRulesDependencies) {
		this.#parts = parts;
	}

	mask(views: readonly RuleView[]): Promise<readonly RuleView[]> {
		return this.#parts.secrets.mask(views);
	}

	async problems(views: readonly RuleView[]): Promise<ReadonlyMap<string, readonly string[]>> {
		const { catalog } = this.#parts;
		const refs = [...new Set(views.map(({ rule }) => rule.action_ref))];
		const actions = new Map(await Promise.all(refs.map(async (ref) => [ref, await findActionSignature(catalog, ref)] as const)));
		const found = new Map<string, readonly string[]>();
		for (const { rule, trigger } of views) {
			await waitForLoopBudget();
			const inRule = withWorkBudget(() => findRuleProblems(rule, actions.get(rule.action_ref)));
			const problems = inRule.map(({ path, message }) => `${path.join(".")}: ${message}`);
			if (trigger === undefined) problems.push(`trigger: trigger "${rule.trigger}" does not exist`);
			if (problems.length > 0) found.set(rule.id, problems);
		}
		return found;
	}

	async list(filter: RuleFilter, paging: Paging): Promise<Page<RuleView>> {
		const { storage, dialects } = this.#parts;
		const where = toWhere(filter);
		const byTrigger = filter.trigger === undefined ? {} : await toTriggerCondition(storage, dialects.triggerType(filter.trigger));
		const all = { ...where, ...byTrigger };
		const orderBy = [
			["pack", "asc"],
			["name", "asc"],
		] as const;
		return readMappedPage(storage, "rule", { where: all, orderBy, ...paging }, (rules) => this.#toViews(rules));
	}

	async get(refOrId: string): Promise<RuleView> {
		const [view] = await this.#toViews([await this.#find(refOrId)]);
		return view as RuleView;
	}

	async create(input: RuleInput, principal: Principal): Promise<RuleView> {
		const { clock, changes, secrets } = this.#parts;
		const fields = toRuleFields(input, input.pack ?? "default");
		secrets.assertNoMask(fields.action_parameters);
		const id = createId(clock);
		const writer = toRuleWriter(principal);
		const view = await this.#store(input, (trigger) => ({ id, ...fields, trigger: trigger.ref, trigger_type: trigger.type, ...writer }));
		changes.announceChange();
		return view;
	}

	async update(refOrId: string, input: RuleInput, principal: Principal): Promise<RuleView> {
		const { triggers, changes, secrets } = this.#parts;
		const old = await this.#find(refOrId);
		const restored = await secrets.restore(input, old, principal);
		const fields = toRuleFields(restored, input.pack ?? old.pack, old.criteria);
		// The writer becomes the author. Otherwise a user who may change a rule could use the permissions of its first author in templates.
		const writer = toRuleWriter(principal);
		const toRule = (trigger: TriggerEntity) => ({ ...old, ...fields, trigger: trigger.ref, trigger_type: trigger.type, ...writer });
		const view = await this.#store(restored, toRule, old);
		if (view.rule.trigger !== old.trigger) await triggers.release(old.trigger);
		changes.announceChange();
		return view;
	}

	async switch(refOrId: string, enabled: boolean, principal: Principal): Promise<RuleView> {
		const { storage, changes } = this.#parts;
		const { id, ref } = await this.#find(refOrId);
		const rule = await storage.update("rule", id, { enabled, ...toRuleWriter(principal), revision: randomUUID() });
		if (rule === undefined) throw new SvcError("SVC_NOT_FOUND", `rule "${ref}" cannot be found`);
		changes.announceChange();
		const [view] = await this.#toViews([rule]);
		return view as RuleView;
	}

	async remove(refOrId: string): Promise<void> {
		const { storage, triggers, changes } = this.#parts;
		const rule = await this.#find(refOrId);
		await storage.remove("rule", { where: { id: rule.id } });
		await triggers.release(rule.trigger);
		changes.announceChange();
	}

	test(input: RuleTestInput, tester: Principal): Promise<RuleTestOutcome> {
		return testRule(input, tester, { ...this.#parts, rules: this });
	}

	async #find(refOrId: string): Promise<RuleEntity> {
		const { storage } = this.#parts;
		const [byRef] = await storage.find("rule", { where: { ref: refOrId }, limit: 1 });
		const found = byRef ?? (isId(refOrId) ? await storage.get("rule", refOrId) : undefined);
		if (found === undefined) throw new SvcError("SVC_NOT_FOUND", `rule "${refOrId}" cannot be found`);
		return found;
	}

	async #toViews(rules: readonly RuleEntity[]): Promise<RuleView[]> {
		const refs = [...new Set(rules.map((rule) => rule.trigger))];
		const found = refs.length === 0 ? [] : await this.#parts.storage.find("trigger", { where: { ref: { in: refs } } });
		const byRef = new Map(found.map((trigger) => [trigger.ref, trigger]));
		return rules.map((rule) => ({ rule, trigger: byRef.get(rule.trigger) }));
	}

	/** Stores the rule that `toRule` returns for a trigger, together with a new trigger if none matches the input. */
	async #store(input: RuleInput, toRule: (trigger: TriggerEntity) => RuleEntity, old?: RuleEntity): Promise<RuleView> {
		const { storage, triggers } = this.#parts;
		for (let attempt = 1; ; attempt += 1) {
			const { trigger, operation } = await triggers.want(input.trigger);
			const rule = toRule(trigger);
			const { id, ...patch } = rule;
			try {
				await storage.write([
					operation,
					old === undefined ? { insert: "rule", entities: [rule] } : { update: "rule", id, patch, expected: { revision: old.revision } },
				]);
				return { rule, trigger };
			} catch (error) {
				if (!isSvcError(error, "SVC_CONFLICT")) throw error;
				await this.#assertFree(rule, error);
				if (old !== undefined) await this.#assertUnchanged(old, error);
				if (attempt === attempts) throw error;
			}
		}
	}

	async #assertFree({ id, ref }: RuleEntity, cause: unknown): Promise<void> {
		const [other] = await this.#parts.storage.find("rule", { where: { ref, id: { not: id } }, fields: ["ref"], limit: 1 });
		if (other === undefined) return;
		const facts = { conflict_id: other.id };
		throw new SvcError("SVC_CONFLICT", `Tried to save duplicate unique keys: rule "${ref}" already exists`, { cause, facts });
	}

	async #assertUnchanged({ id, ref, revision }: RuleEntity, cause: unknown): Promise<void> {
		const { revision: current } = await this.#find(id);
		if (current !== revision) throw new SvcError("SVC_CONFLICT", `rule "${ref}" was changed concurrently; try again`, { cause });
	}
}

function toRuleWriter(principal: Principal): Pick<RuleEntity, "user" | "scopes"> {
	const { author, scopes } = toAuthorship(principal);
	return { user: author, scopes };
}

function toWhere({ id, name, pack, action, enabled, user }: RuleFilter) {
	return {
		...(id !== undefined && { id: toInCondition(id) }),
		...(name !== undefined && { name: toInCondition(name) }),
		...withoutUndefined({ pack, action_ref: action, enabled, user }),
	};
}

/** Returns the condition for a trigger ref. If no rule has that trigger, the ref is a type's and matches all triggers of the type. */
async function toTriggerCondition(storage: Storage, ref: string) {
	return (await storage.count("rule", { trigger: ref })) > 0 ? { trigger: ref } : { trigger_type: ref };
}

import type { JsonValue, RuleEntity, TriggerInstanceEntity } from "../../contract/index.ts";
import { type InlineEvaluation, noActionEvaluation } from "../../kernel/events/event-handler.ts";
import { waitForLoopBudget } from "../../language/event-loop-budget.ts";
import { WorkBudget, type WorkLimits, workLimits } from "../../language/work-budget.ts";
import type { CompiledCriteria } from "./criteria/index.ts";
import { isRejected } from "./criteria/pre-filter.ts";
import type { IndexedRule } from "./rule-index.ts";
import { decide, type RuleProcessorDependencies, together } from "./rule-processor.ts";

/** Maximum number of rules evaluated before an event is stored, because the sender waits. */
const lookedAtFirst = 1_000;
/**
 * Work limits of an inline evaluation, for all rules of the event together. If they are exceeded, the event is stored and evaluated later.
 */
const workAtFirst: WorkLimits = { ...workLimits, searchMs: 5 };

/**
 * Evaluates the rules of an event before it is stored; matching rules act in the write that stores it. Returns undefined if that would take
 * too long.
 */
export async function lookFirst(instance: TriggerInstanceEntity, parts: RuleProcessorDependencies): Promise<InlineEvaluation | undefined> {
	const indexed = await parts.rules.rulesOf(instance.trigger);
	if (indexed.length > lookedAtFirst) return undefined;
	await waitForLoopBudget();
	const rules = await parts.keepPermitted(indexed, instance);
	const look = new QuickLook(instance, parts.clock.now());
	const standard = look.matching(rules, "standard");
	const matching = standard?.length === 0 ? look.matching(rules, "backstop") : standard;
	if (matching === undefined || matching.length > together) return undefined;
	return matching.length === 0 ? noActionEvaluation(instance) : toActing(instance, { matching, looked: rules.length }, parts);
}

function toActing(
	instance: TriggerInstanceEntity,
	{ matching, looked }: { readonly matching: readonly RuleEntity[]; readonly looked: number },
	{ enforcer, storage, metrics }: RuleProcessorDependencies,
): InlineEvaluation {
	return {
		hasNoActions: false,
		async act(begun, store) {
			const trace = begun ?? (await storage.get("trace", instance.trace_id));
			const event = { instance, trace };
			const hasActed = await enforcer.enforceTogether(matching, event, (acts) => store({ ...instance, status: "processed" }, acts));
			if (hasActed) metrics.looked(looked, matching.length);
			return hasActed;
		},
	};
}

/** Evaluates the rules of one event synchronously, as long as their criteria need no datastore items. */
class QuickLook {
	readonly #instance: TriggerInstanceEntity;
	readonly #now: number;
	readonly #work = new WorkBudget(workAtFirst);
	/** Values read by pre-filters, by JSON path. Many pre-filters read the same path. */
	readonly #values = new Map<string, JsonValue>();

	constructor(instance: TriggerInstanceEntity, now: number) {
		this.#instance = instance;
		this.#now = now;
	}

	#isOut({ sieve }: CompiledCriteria): boolean {
		if (sieve === undefined) return false;
		let value = this.#values.get(sieve.place);
		if (value === undefined) {
			value = sieve.read({ trigger: this.#instance.payload });
			this.#values.set(sieve.place, value);
		}
		return isRejected(sieve, value);
	}

	/** Returns the matching rules of a type; undefined if one of them cannot be decided synchronously or without an error. */
	matching(rules: readonly IndexedRule[], type: RuleEntity["type"]): readonly RuleEntity[] | undefined {
		const matching: RuleEntity[] = [];
		for (const { rule, criteria } of rules) {
			if (rule.type !== type || this.#isOut(criteria)) continue;
			if (criteria.usesDatastore) return undefined;
			const verdict = decide(criteria, this.#instance.payload, { now: this.#now, work: this.#work });
			if (verdict instanceof Promise || (!verdict.matched && verdict.error !== undefined)) return undefined;
			if (verdict.matched) matching.push(rule);
		}
		return matching;
	}
}

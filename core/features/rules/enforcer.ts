import {
	type ExecutionEntity,
	isSvcError,
	type JsonObject,
	type RuleEnforcementEntity,
	type RuleEntity,
	type TraceEntity,
	type TriggerInstanceEntity,
	toErrorMessage,
	type WriteOperation,
} from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { createId } from "../../kernel/basics/ids.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { SubmitInput } from "../../kernel/executions/executions-api.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import {
	type DraftedExecution,
	draftExecution,
	type RuleOrigin,
	type SubmitDependencies,
	submitExecution,
} from "../../kernel/submission/submit.ts";
import { isTemplateProblem } from "../../language/parameters/parameter-errors.ts";
import type { LoopGuard } from "./loop-guard.ts";
import type { RuleRefHistory } from "./rule-ref-history.ts";
import type { RuleSnapshots } from "./rule-snapshots.ts";

export interface EnforcerDependencies extends SubmitDependencies, Uses<"logger">, Pick<Kernel, "admitAll"> {
	readonly guard: LoopGuard;
	readonly snapshots: Pick<RuleSnapshots, "of">;
	readonly refs: Pick<RuleRefHistory, "keep">;
	/** Principal of the executions of rules. */
	readonly principal: Principal;
}

/** Event on which rules act, with its trace. */
export interface EnforcedEvent {
	readonly instance: TriggerInstanceEntity;
	readonly trace: TraceEntity | undefined;
}

/** Starts the actions of rules: stores their executions and enforcements. */
export class Enforcer {
	readonly #parts: EnforcerDependencies;

	constructor(parts: EnforcerDependencies) {
		this.#parts = parts;
	}

	/**
	 * Lets a rule act on an event that matches it. Stores the enforcement and the execution in one write, together with `also`. A rule acts
	 * only once on an event: if it has acted before, stores nothing and resolves with false. If the rule cannot act, stores a failed
	 * enforcement with the reason. Rejects only if nothing can be stored.
	 */
	async enforce(rule: RuleEntity, event: EnforcedEvent, also: readonly WriteOperation[] = []): Promise<boolean> {
		const { guard, logger } = this.#parts;
		const refusal = await guard.refuse(rule, event.instance);
		if (refusal !== undefined) return this.fail(rule, event, refusal, also);
		try {
			await this.#submit(rule, event, also);
			return true;
		} catch (error) {
			// The failed execution and its enforcement have been stored.
			if (isTemplateProblem(error)) return true;
			if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			if (isSvcError(error, "SVC_CONFLICT")) {
				await this.#assertEnforced(rule, event, error);
				return false;
			}
			if (!isSvcError(error)) logger.error("rule failed", { rule: rule.ref, trigger_instance_id: event.instance.id, error });
			return this.fail(rule, event, toErrorMessage(error), also);
		}
	}

	/**
	 * Lets several rules act in one write, which `store` performs. If one of the rules has acted before or cannot act, stores nothing and
	 * resolves with false; the caller then calls `enforce` for each rule. Rejects only while the storage is unavailable.
	 */
	async enforceTogether(
		rules: readonly RuleEntity[],
		event: EnforcedEvent,
		store: (acts: readonly WriteOperation[]) => Promise<void>,
	): Promise<boolean> {
		const { admitAll, logger } = this.#parts;
		try {
			const drafts = await Promise.all(rules.map((rule) => this.#draft(rule, event)));
			const ready = drafts.filter((draft) => draft !== undefined);
			if (ready.length < rules.length) return false;
			const toEnforcements = (entities: readonly ExecutionEntity[]) =>
				entities.map((entity, index) => this.#toEnforcement(rules[index] as RuleEntity, event, { execution: entity.id }));
			await admitAll(
				ready.map(({ entity }) => entity),
				(entities) =>
					store([
						{ insert: "execution", entities },
						{ insert: "rule_enforcement", entities: toEnforcements(entities) },
					]),
			);
			for (const [index, { entity }] of ready.entries()) {
				logger.info("rule enforced", { rule: rules[index]?.ref, trigger_instance_id: event.instance.id, execution_id: entity.id });
			}
			return true;
		} catch (error) {
			if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			return false;
		}
	}

	/** Stores a failed enforcement for a rule that could not be evaluated or act. Resolves with false if the rule has acted before. */
	async fail(rule: RuleEntity, event: EnforcedEvent, reason: string, also: readonly WriteOperation[] = []): Promise<boolean> {
		const { storage, logger, sealedSecrets } = this.#parts;
		const problem = sealedSecrets.decrypt(event.instance.known_secrets).redactText(reason);
		const enforcement = this.#toEnforcement(rule, event, { problem });
		logger.warn("rule could not be enforced", { rule: rule.ref, trigger_instance_id: event.instance.id, problem });
		try {
			await this.#parts.refs.keep(rule);
			await storage.write([{ insert: "rule_enforcement", entities: [enforcement] }, ...also]);
			return true;
		} catch (error) {
			await this.#assertEnforced(rule, event, error);
			return false;
		}
	}

	async #submit(rule: RuleEntity, event: EnforcedEvent, also: readonly WriteOperation[]): Promise<void> {
		const { input, origin } = await this.#toRequest(rule, event, also);
		const { entity } = await submitExecution(this.#parts, input, this.#parts.principal, { rule: origin });
		this.#parts.logger.info("rule enforced", { rule: rule.ref, trigger_instance_id: event.instance.id, execution_id: entity.id });
	}

	/** Returns the draft of the execution; undefined if the rule must not act or a template cannot be rendered. Throws all other errors. */
	async #draft(rule: RuleEntity, event: EnforcedEvent): Promise<DraftedExecution | undefined> {
		if ((await this.#parts.guard.refuse(rule, event.instance)) !== undefined) return undefined;
		const { input, origin } = await this.#toRequest(rule, event, []);
		const draft = await draftExecution(this.#parts, input, this.#parts.principal, { rule: origin });
		return draft.problem === undefined ? draft : undefined;
	}

	async #toRequest(
		rule: RuleEntity,
		event: EnforcedEvent,
		also: readonly WriteOperation[],
	): Promise<{ readonly input: SubmitInput; readonly origin: RuleOrigin }> {
		const { instance, trace } = event;
		const keeping = this.#parts.refs.keep(rule);
		// Most refs are stored already. Awaiting undefined would cost a microtask for each rule.
		if (keeping !== undefined) await keeping;
		const context = {
			trigger_instance: { id: instance.id, name: null },
			rule: { id: rule.id, name: rule.name },
			trace_context: { id_: instance.trace_id, trace_tag: trace?.trace_tag ?? null },
		};
		const origin: RuleOrigin = {
			fields: {
				rule_name: rule.name,
				trigger_name: toName(instance.trigger),
				trigger_type_name: toName(instance.trigger_type),
				trigger_instance_id: instance.id,
				rule_snapshot_id: await this.#parts.snapshots.of(rule),
				trace_id: instance.trace_id,
			},
			names: { trigger: instance.payload },
			knownSecrets: instance.known_secrets,
			pack: rule.pack,
			author: rule.user,
			scopes: rule.scopes,
			alongside: (execution) => [
				{ insert: "rule_enforcement", entities: [this.#toEnforcement(rule, event, toOutcome(execution))] },
				...also,
			],
		};
		return { input: { action: rule.action_ref, parameters: rule.action_parameters, context }, origin };
	}

	#toEnforcement(rule: RuleEntity, { instance }: EnforcedEvent, outcome: Outcome): RuleEnforcementEntity {
		const { clock } = this.#parts;
		return {
			id: createId(clock),
			rule_id: rule.id,
			rule_ref: rule.ref,
			trigger_instance_id: instance.id,
			enforced_at: toTimestamp(clock.now()),
			trace_id: instance.trace_id,
			...("execution" in outcome
				? { status: "succeeded", execution_id: outcome.execution, failure_reason: null }
				: { status: "failed", execution_id: null, failure_reason: toReason(rule, instance, outcome.problem) }),
		};
	}

	/** Throws the error unless it is a conflict caused by an earlier enforcement of the rule for the event. */
	async #assertEnforced(rule: RuleEntity, { instance }: EnforcedEvent, error: unknown): Promise<void> {
		if (!isSvcError(error, "SVC_CONFLICT")) throw error;
		const where = { rule_id: rule.id, trigger_instance_id: instance.id };
		if ((await this.#parts.storage.count("rule_enforcement", where)) === 0) throw error;
	}
}

type Outcome = { readonly execution: string } | { readonly problem: string };

function toOutcome({ id, status, result }: ExecutionEntity): Outcome {
	return status === "failed" ? { problem: String((result as JsonObject)["error"]) } : { execution: id };
}

function toReason(rule: RuleEntity, instance: TriggerInstanceEntity, problem: string): string {
	return `rule "${rule.ref}" could not be enforced for trigger instance "${instance.id}": ${problem}`;
}

/** Returns the part of a ref after the pack. */
function toName(ref: string): string {
	return ref.slice(ref.indexOf(".") + 1);
}

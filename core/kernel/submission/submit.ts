import {
	type ActionEntity,
	type ExecutionEntity,
	type JsonObject,
	SvcError,
	type TraceEntity,
	type WriteOperation,
} from "../../contract/index.ts";
import { isTemplateProblem } from "../../language/parameters/parameter-errors.ts";
import type { RenderContext } from "../../language/parameters/render.ts";
import { toTimestamp } from "../basics/clock.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { createId } from "../basics/ids.ts";
import type { Principal } from "../basics/principal.ts";
import type { ActionCatalog, ResolvedAction } from "../executions/action-catalog.ts";
import type { CompletionEffects } from "../executions/completion-effects.ts";
import { toErrorResult } from "../executions/error-result.ts";
import type { SubmitInput, TemplateAuthor } from "../executions/executions-api.ts";
import { type Admit, type NewExecutionFields, newExecution, withExecutionFields } from "../executions/new-execution.ts";
import { toResultPatch } from "../executions/status.ts";
import { renderSubmitted, type TemplateSources } from "./parameter-rendering.ts";
import type { PartialRerun } from "./rerun-request.ts";
import { checkDelay, chooseUser, readParent, toContext, toWorkflowContextMembers } from "./submission-checks.ts";
import { chooseTrace, readParentId } from "./trace-selection.ts";

export interface ExecutionDraftDependencies extends Uses<"storage" | "clock" | "sealedSecrets" | "isWorkflow"> {
	readonly catalog: ActionCatalog;
	readonly templateSources: TemplateSources;
}

export interface SubmitDependencies extends ExecutionDraftDependencies {
	readonly admit: Admit;
	readonly completionEffects: CompletionEffects;
}

/** Data that a rule adds to the request for an execution that it starts. */
export interface RuleOrigin {
	readonly fields: Pick<
		ExecutionEntity,
		"rule_name" | "trigger_name" | "trigger_type_name" | "trigger_instance_id" | "rule_snapshot_id" | "trace_id"
	>;
	/** Further names that templates in the given parameters may use. */
	readonly names: RenderContext;
	readonly pack: string;
	/** Encrypted secrets in the values of `names`. */
	readonly knownSecrets: string | null;
	/** Author of the rule; templates read the datastore with the permissions of this user. */
	readonly author: string;
	/** Scopes of the API key that the rule was written with. Null: no limit. */
	readonly scopes: readonly string[] | null;
	/** Returns the operations to store with the execution, all or nothing. The execution is `failed` if a template could not be rendered. */
	readonly alongside: (execution: ExecutionEntity) => readonly WriteOperation[];
}

/** Origin of a request: a rule, a parent run or a partial re-run. Empty for a direct request of a user. */
export interface SubmitOrigin {
	readonly rule?: RuleOrigin;
	/** Child that a run starts. Its id is derived from its parent and key. */
	readonly child?: { readonly id: string; readonly parent: ExecutionEntity };
	readonly partialRerun?: PartialRerun;
}

/**
 * An execution drafted from a checked request. Nothing is stored yet. If a request has several faults, only the first is reported, in the
 * order of the checks: action, delay, user, parent, context, parameters, trace.
 */
export interface DraftedExecution {
	/** The execution: `requested`, or `failed` if there is a problem. */
	readonly entity: ExecutionEntity;
	readonly action: ResolvedAction;
	/** The trace to insert; undefined if the execution joins an existing trace. */
	readonly trace: TraceEntity | undefined;
	/** Error of a template that cannot be rendered. The failed execution is stored all the same, so that the history shows it. */
	readonly problem: SvcError | undefined;
}

/**
 * Checks a request, stores the execution and schedules its run. When the promise resolves, the execution is on disk. The returned entity is
 * in the `requested` state, even if it was stored in a later state. If a template cannot be rendered, stores the failed execution and
 * rejects.
 */
export async function submitExecution(
	parts: SubmitDependencies,
	input: SubmitInput,
	principal: Principal,
	origin: SubmitOrigin = {},
): Promise<{ entity: ExecutionEntity; action: ResolvedAction }> {
	const draftedExecution = await draftExecution(parts, input, principal, origin);
	const { entity, action, problem } = draftedExecution;
	const write = (stored: ExecutionEntity, effects: readonly WriteOperation[] = []) =>
		parts.storage.write([...toInsert(draftedExecution, stored), ...(origin.rule?.alongside(stored) ?? []), ...effects]);
	if (problem === undefined) {
		await parts.admit(entity, write);
		return { entity, action };
	}
	const completion = await parts.completionEffects.draft(entity);
	await write(entity, completion.operations);
	completion.announce();
	throw problem;
}

/**
 * Checks a request and drafts its execution. Rejects if the request is refused. If a template cannot be rendered, returns a failed
 * execution with its `problem`.
 */
export async function draftExecution(
	parts: ExecutionDraftDependencies,
	input: SubmitInput,
	principal: Principal,
	origin: SubmitOrigin = {},
): Promise<DraftedExecution> {
	const { rule, child } = origin;
	const action = await findAction(parts, input);
	// Before the draft: its timestamps must precede its insertion as little as possible.
	const isGuarded = await needsGuard(parts.templateSources, action, { principal, origin: rule ?? input.writer });
	const draft = await draftRequest(parts, input, { action, principal, origin });
	const traceSources = { cause: rule?.fields ?? child?.parent, traceparent: input.traceparent };
	try {
		const { parameters, secrets } = await renderSubmitted(parts, input, { draft, isGuarded, action, names: rule?.names });
		const known_secrets = parts.sealedSecrets.addValues(draft.known_secrets, secrets);
		const { trace_id, insert: trace } = await chooseTrace(parts, draft, traceSources);
		return { entity: withExecutionFields(draft, { known_secrets, parameters, trace_id }), action, trace, problem: undefined };
	} catch (error) {
		if (!isTemplateProblem(error)) throw error;
		const { trace_id, insert: trace } = await chooseTrace(parts, draft, traceSources).catch(() => Promise.reject(error));
		const parameters = { ...input.plainParameters, ...input.parameters };
		const failed = withExecutionFields(draft, { trace_id, parameters, ...toFailedFields(draft, error, toTimestamp(parts.clock.now())) });
		return { entity: failed, action, trace, problem: error };
	}
}

/**
 * Returns the operations that insert a drafted execution, and its trace if that is new. `entity` is the execution in the state to insert.
 */
export function toInsert({ trace }: Pick<DraftedExecution, "trace">, entity: ExecutionEntity): readonly WriteOperation[] {
	return [...(trace === undefined ? [] : [{ insert: "trace", entities: [trace] } as const]), { insert: "execution", entities: [entity] }];
}

async function findAction({ catalog }: ExecutionDraftDependencies, input: SubmitInput): Promise<ResolvedAction> {
	const action = await catalog.resolve(input.action);
	if (action === undefined) throw new SvcError("SVC_NOT_FOUND", `action "${input.action}" cannot be found`);
	if (!action.action.enabled) throw new SvcError("SVC_INVALID", `action "${input.action}" is disabled and cannot be executed`);
	return action;
}

/** Returns the execution of a request, before its trace is selected and its parameters are rendered. */
async function draftRequest(
	parts: ExecutionDraftDependencies,
	input: SubmitInput,
	{ action, principal, origin }: { readonly action: ResolvedAction; readonly principal: Principal; readonly origin: SubmitOrigin },
): Promise<ExecutionEntity> {
	const { rule, child, partialRerun } = origin;
	const delay = checkDelay(input.delay);
	const user = chooseUser(input.user, principal, parts.templateSources);
	const parent = child?.parent ?? (await readParent(parts.storage, input, principal));
	const id = child?.id ?? createId(parts.clock);
	const context = Object.assign(
		toContext(input, action, { user, principal, parent }),
		toWorkflowContextMembers(parts, action, { id, partialRerun }),
	) as JsonObject;
	const knownSecrets = [rule?.knownSecrets, input.knownSecrets, parent?.known_secrets];
	const request: NewExecutionFields = {
		action_ref: action.action.ref,
		runner_name: action.runnerType.name,
		snapshot_id: action.snapshot.id,
		parameters: {},
		user: String(context["user"]),
		// An execution that a rule starts, and all of its descendants, have the permissions of the rule's author, not those of the system user.
		author: rule?.author ?? principal.author ?? parent?.author ?? null,
		// Store the scopes of the API key of the caller or the rule with the execution, so that the key gains no further access through the
		// action.
		scopes: rule === undefined ? (principal.scopes ?? null) : rule.scopes,
		context,
		parent_id: readParentId(context) ?? null,
		notify: toNotify(action.action, input),
		callback: input.callback ?? null,
		known_secrets: knownSecrets.reduce<string | null>((all, known = null) => parts.sealedSecrets.union(all, known), null),
		takes_up: partialRerun?.earlier.id ?? null,
		delay,
		queue: null,
		...(rule?.fields ?? noRuleFields),
	};
	return newExecution(parts.clock, request, id);
}

/** Fields of an execution that no rule has started. Its trace is not selected yet. */
const noRuleFields: RuleOrigin["fields"] = {
	rule_name: null,
	trigger_name: null,
	trigger_type_name: null,
	trigger_instance_id: null,
	rule_snapshot_id: null,
	trace_id: "",
};

/**
 * Returns true if templates of the request must not read secrets of the action or its pack. Only templates of administrators may read them.
 * Exception: rules and aliases that belong to the pack may read its configuration.
 */
async function needsGuard(
	{ systemUser, isAdministrator }: TemplateSources,
	{ action }: ResolvedAction,
	{ principal, origin }: { readonly principal: Principal; readonly origin: TemplateAuthor | undefined },
): Promise<boolean> {
	if (origin === undefined) {
		const isTrusted = principal.isAdmin && (principal.author === undefined || (await isAdministrator(principal.author)));
		return !isTrusted;
	}
	if (origin.scopes !== null) return true;
	const isOfPack = origin.author === systemUser && origin.pack === action.pack;
	return !(isOfPack || (await isAdministrator(origin.author)));
}

/**
 * Returns the `notify` of an execution. The `notify` of the action takes precedence over that of the request, unless it is empty or the
 * caller sets `isNotifyFirst`.
 */
function toNotify({ notify }: ActionEntity, { notify: requested, isNotifyFirst = false }: SubmitInput): JsonObject | null {
	const isActionFirst = Object.keys(notify).length > 0 && (!isNotifyFirst || requested === undefined);
	return isActionFirst ? notify : (requested ?? null);
}

/** Returns the fields that differ in a drafted execution that has failed, because a template cannot be rendered. */
function toFailedFields({ log }: ExecutionEntity, error: Error, timestamp: string): Partial<ExecutionEntity> {
	return {
		...(toResultPatch(toErrorResult(error)) as Pick<ExecutionEntity, "result" | "result_size">),
		status: "failed",
		log: [...log, { status: "failed", timestamp }],
		end_timestamp: timestamp,
		elapsed_seconds: 0,
	};
}

import {
	type ActionEntity,
	type ExecutionEntity,
	type JsonObject,
	type Storage,
	SvcError,
	type TraceEntity,
	type WriteOperation,
} from "../../contract/index.ts";
import { isTemplateProblem } from "../../language/parameters/parameter-errors.ts";
import type { RenderContext } from "../../language/parameters/render.ts";
import type { SealedSecrets } from "../../secrets/encrypted-secrets.ts";
import { type EngineClock, toTimestamp } from "../basics/clock.ts";
import { createId } from "../basics/ids.ts";
import type { Principal } from "../basics/principal.ts";
import type { Catalog, ResolvedAction } from "../executions/action-catalog.ts";
import type { Admit } from "../executions/admission.ts";
import type { Endings } from "../executions/completion-effects.ts";
import { toErrorResult } from "../executions/error-result.ts";
import type { ParameterWriter, SubmitInput } from "../executions/executions-api.ts";
import { type AskedExecution, newExecution, withValues } from "../executions/new-execution.ts";
import { toResultPatch } from "../executions/status.ts";
import { checkDelay, chooseUser, readParent, toContext, toWorkflowContext } from "./execution-context.ts";
import { renderSubmitted, type TemplateSources } from "./parameter-rendering.ts";
import type { TakeUp } from "./partial-rerun.ts";

import { chooseTrace, readParentId, type TraceChoice } from "./trace-selection.ts";

/** What requests are looked at with. */
export interface DraftParts {
	readonly storage: Storage;
	readonly clock: EngineClock;
	readonly catalog: Catalog;
	readonly templateSources: TemplateSources;
	readonly sealedSecrets: SealedSecrets;
	/** Whether executions of this runner type are made of others. */
	readonly isWorkflow: (runnerName: string) => boolean;
}

export interface SubmitParts extends DraftParts {
	readonly admit: Admit;
	readonly endings: Endings;
}

/** What a rule adds to its request. */
export interface RuleOrigin {
	readonly fields: Pick<
		ExecutionEntity,
		"rule_name" | "trigger_name" | "trigger_type_name" | "trigger_instance_id" | "rule_snapshot_id" | "trace_id"
	>;
	/** More names for templates in the given parameters. */
	readonly names: RenderContext;
	/** Pack of the rule. */
	readonly pack: string;
	/** What is secret among the names. */
	readonly knownSecrets: string | null;
	/** The author of the rule: templates read the datastore with this user's permissions. */
	readonly author: string;
	/** Scopes of the API key that the rule was written with. Null: no limit. */
	readonly scopes: readonly string[] | null;
	/** What is stored with the execution, all or nothing. It is `failed` when a template could not be rendered. */
	readonly alongside: (execution: ExecutionEntity) => readonly WriteOperation[];
}

/** What a run adds to its request for a child. */
export interface ChildOrigin {
	readonly id: string;
	readonly parent: ExecutionEntity;
}

/** Where a request comes from that is not somebody's own. */
export interface SubmitOrigin {
	readonly rule?: RuleOrigin;
	readonly child?: ChildOrigin;
	readonly takeUp?: TakeUp;
}

/** A request that has been looked at, in the order of reference 8.1: action, user, context, parameters, trace. Nothing of it is stored. */
export interface DraftedExecution {
	/** As it is requested; `failed` where there is a problem. */
	readonly entity: ExecutionEntity;
	readonly action: ResolvedAction;
	/** Its trace, where it is a new one. */
	readonly trace: TraceEntity | undefined;
	/** A template of it that cannot be rendered: visible in the history (reference 8.4). */
	readonly problem: SvcError | undefined;
}

/** Check a request, store the execution and see to its being run. On disk when the promise resolves with the execution as it was requested. */
export async function storeExecution(
	parts: SubmitParts,
	input: SubmitInput,
	principal: Principal,
	origin: SubmitOrigin = {},
): Promise<{ entity: ExecutionEntity; action: ResolvedAction }> {
	const drafted = await draftExecution(parts, input, principal, origin);
	const { entity, action, problem } = drafted;
	const write = (stored: ExecutionEntity, caused: readonly WriteOperation[] = []) =>
		parts.storage.write([...toInsert(drafted, stored), ...(origin.rule?.alongside(stored) ?? []), ...caused]);
	if (problem === undefined) {
		await parts.admit(entity, write);
		return { entity, action };
	}
	const ending = await parts.endings.draft(entity);
	await write(entity, ending.operations);
	ending.announce();
	throw problem;
}

/** Check a request. */
export async function draftExecution(
	parts: DraftParts,
	input: SubmitInput,
	principal: Principal,
	origin: SubmitOrigin = {},
): Promise<DraftedExecution> {
	const action = await findAction(parts, input);
	const asked = await draftAsked(parts, input, { action, principal, origin });
	const { rule, child } = origin;
	const origins = { cause: rule?.fields ?? child?.parent, traceparent: input.traceparent };
	const { traceId, insert: trace } = await placeInTrace(parts, asked.draft, origins);
	const execution = withValues(asked.draft, { trace_id: traceId, ...rule?.fields });
	try {
		const { draft, isGuarded } = asked;
		const { parameters, secrets } = await renderAsked(parts, input, { draft, isGuarded, action, names: rule?.names });
		const known_secrets = parts.sealedSecrets.add(execution.known_secrets, secrets);
		return { entity: withValues(execution, { known_secrets, parameters }), action, trace, problem: undefined };
	} catch (error) {
		if (!isTemplateProblem(error)) throw error;
		const failed = toFailed(execution, { ...input.plainParameters, ...input.parameters }, error, toTimestamp(parts.clock.now()));
		return { entity: failed, action, trace, problem: error };
	}
}

/** What stores a drafted execution; `entity` is what it has become. */
export function toInsert({ trace }: Pick<DraftedExecution, "trace">, entity: ExecutionEntity): readonly WriteOperation[] {
	return [...(trace === undefined ? [] : [{ insert: "trace", entities: [trace] } as const]), { insert: "execution", entities: [entity] }];
}

async function findAction({ catalog }: DraftParts, input: SubmitInput): Promise<ResolvedAction> {
	const action = await catalog.resolve(input.action);
	if (action === undefined) throw new SvcError("SVC_NOT_FOUND", `action "${input.action}" cannot be found`);
	if (!action.action.enabled) throw new SvcError("SVC_INVALID", `action "${input.action}" is disabled and cannot be executed`);
	return action;
}

/** What is known of an execution before its trace and its parameters are. */
interface Asked {
	readonly draft: ExecutionEntity;
	readonly isGuarded: boolean;
}

async function draftAsked(
	parts: DraftParts,
	input: SubmitInput,
	{ action, principal, origin }: { readonly action: ResolvedAction; readonly principal: Principal; readonly origin: SubmitOrigin },
): Promise<Asked> {
	const { rule, child, takeUp } = origin;
	const delay = checkDelay(input.delay);
	const user = chooseUser(input.user, principal, parts.templateSources);
	const parent = child?.parent ?? (await readParent(parts.storage, input, principal));
	const id = child?.id ?? createId(parts.clock);
	const context = Object.assign(
		toContext(input, action, { user, principal, parent }),
		toWorkflowContext(parts, action, { id, takeUp }),
	) as JsonObject;
	// Whatever comes of a rule has the permissions of its author, and not those of the system it runs for.
	const author = rule?.author ?? principal.author ?? parent?.author ?? null;
	const isGuarded = await needsGuard(parts.templateSources, action, { principal, origin: rule ?? input.writer });
	// An action must not lend the key of its caller, or of its rule's author, what the key was not given.
	const scopes = rule === undefined ? (principal.scopes ?? null) : rule.scopes;
	const known_secrets = joinSecrets(parts.sealedSecrets, [rule?.knownSecrets, input.knownSecrets, parent?.known_secrets]);
	const drafted = { id, delay, context, author, scopes, known_secrets, takes_up: takeUp?.earlier.id ?? null };
	return { draft: createDraft(parts.clock, action, input, drafted), isGuarded };
}

function renderAsked(
	{ sealedSecrets, templateSources }: DraftParts,
	input: SubmitInput,
	{ action, draft, isGuarded, names }: Asked & { readonly action: ResolvedAction; readonly names: RuleOrigin["names"] | undefined },
) {
	const { parameters: given = {}, plainParameters: plain = {}, literal = [], writer } = input;
	return renderSubmitted(
		{ runnerSchema: action.runnerType.runner_parameters, actionSchema: action.action.parameters, given, plain, literal },
		{
			pack: action.action.pack,
			context: draft.context,
			names,
			author: draft.author,
			scopes: draft.scopes,
			writer,
			isGuarded,
			known: sealedSecrets.ofExecution({ known_secrets: draft.known_secrets, parameters: { ...plain, ...given } }, action.snapshot),
		},
		templateSources,
	);
}

function joinSecrets(sealedSecrets: SealedSecrets, known: readonly (string | null | undefined)[]): string | null {
	return known.reduce<string | null>((all, sealed = null) => sealedSecrets.join(all, sealed), null);
}

/**
 * Returns true if templates of the request must not read secrets of the action or its pack, which only templates of administrators may. The
 * rules and aliases of a pack belong to it, and read its own configuration.
 */
async function needsGuard(
	{ systemUser, isAdministrator }: TemplateSources,
	{ action }: ResolvedAction,
	{ principal, origin }: { readonly principal: Principal; readonly origin: ParameterWriter | undefined },
): Promise<boolean> {
	if (origin === undefined) {
		const isTrusted = principal.isAdmin && (principal.author === undefined || (await isAdministrator(principal.author)));
		return !isTrusted;
	}
	if (origin.scopes !== null) return true;
	const isOfPack = origin.author === systemUser && origin.pack === action.pack;
	return !(isOfPack || (await isAdministrator(origin.author)));
}

type Origin = { readonly cause: Pick<ExecutionEntity, "trace_id"> | undefined; readonly traceparent: string | undefined };

async function placeInTrace({ storage, clock }: DraftParts, draft: ExecutionEntity, { cause, traceparent }: Origin): Promise<TraceChoice> {
	if (cause !== undefined) return { traceId: cause.trace_id, insert: undefined };
	return chooseTrace(storage, {
		context: draft.context,
		liveactionId: draft.liveaction_id,
		createId: () => createId(clock),
		timestamp: draft.start_timestamp,
		traceparent,
	});
}

interface DraftInput {
	readonly id: string;
	readonly delay: number | null;
	readonly context: JsonObject;
	readonly author: string | null;
	readonly scopes: readonly string[] | null;
	/** What was known to be secret where the request comes from. */
	readonly known_secrets: string | null;
	readonly takes_up: string | null;
}

function createDraft(
	clock: EngineClock,
	{ action, runnerType, snapshot }: ResolvedAction,
	input: SubmitInput,
	{ id, delay, context, author, scopes, known_secrets, takes_up }: DraftInput,
): ExecutionEntity {
	const asked: AskedExecution = {
		action_ref: action.ref,
		runner_name: runnerType.name,
		snapshot_id: snapshot.id,
		parameters: {},
		user: String(context["user"]),
		author,
		scopes,
		context,
		parent_id: readParentId(context) ?? null,
		trace_id: "",
		rule_name: null,
		trigger_name: null,
		trigger_type_name: null,
		trigger_instance_id: null,
		rule_snapshot_id: null,
		notify: toNotify(action, input),
		callback: input.callback ?? null,
		known_secrets,
		takes_up,
		delay,
		queue: null,
	};
	return newExecution(clock, asked, id);
}

/** The action's own wins over the request's unless it is empty (reference 8.1, step 12), or whoever asks says otherwise. */
function toNotify({ notify }: ActionEntity, { notify: asked, isNotifyFirst = false }: SubmitInput): JsonObject | null {
	const isOwnFirst = Object.keys(notify).length > 0 && (!isNotifyFirst || asked === undefined);
	return isOwnFirst ? notify : (asked ?? null);
}

/** The record of a request whose template could not be rendered. */
function toFailed(execution: ExecutionEntity, parameters: JsonObject, error: Error, timestamp: string): ExecutionEntity {
	const result = toErrorResult(error);
	return withValues(execution, {
		...(toResultPatch(result) as Pick<ExecutionEntity, "result" | "result_size">),
		status: "failed",
		log: [...execution.log, { status: "failed", timestamp }],
		parameters,
		end_timestamp: timestamp,
		elapsed_seconds: 0,
	});
}

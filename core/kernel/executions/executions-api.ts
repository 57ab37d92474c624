import type {
	ActionSnapshotEntity,
	ExecutionEntity,
	ExecutionStatus,
	JsonObject,
	JsonValue,
	OutputChunkEntity,
	OutputType,
} from "../../contract/index.ts";
import type { EncryptedSecrets } from "../../secrets/encrypted-secrets.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { Uses } from "../basics/engine-parts.ts";
import type { Page, Paging } from "../basics/pagination.ts";
import type { Principal } from "../basics/principal.ts";
import type { RuleAndEvent, TriggeringRuleSelection } from "./triggering-rules.ts";

/** Fields of an execution in a tree of descendants. Only these are read, because a tree may have hundreds of thousands of executions. */
export type Descendant = Pick<ExecutionEntity, "id" | "parent_id" | "start_timestamp" | "action_ref">;

/** An execution with the related data that is needed to present it. */
export interface ExecutionView {
	/** The execution; fields that were not requested are absent. */
	readonly entity: ExecutionEntity;
	readonly snapshot: ActionSnapshotEntity;
	/** Ids of the first 1,000 children; empty if they were not requested. */
	readonly children: readonly string[];
	/** True if the execution is a workflow, which consists of child executions. */
	readonly isWorkflow: boolean;
	/** Secrets in the execution. The presentation must mask them. */
	readonly secrets: Redactor;
}

/** Author of templates that are rendered for the execution of another user, such as those of a rule. */
export interface TemplateAuthor {
	readonly author: string;
	/** Scopes of the API key that the templates were written with. Null: no limit. */
	readonly scopes: readonly string[] | null;
	/** Pack that the templates belong to. */
	readonly pack: string;
}

/** Body of `POST /executions`. The route has checked the types. Some members may be set only by the service itself. */
export interface SubmitInput {
	readonly action: string;
	readonly parameters?: JsonObject;
	/**
	 * Values of parameters that `parameters` lacks. They are never rendered, because they come from an earlier execution. Must not be set from
	 * client input.
	 */
	readonly plainParameters?: JsonObject;
	/** Names of members of `parameters` that are not rendered either: their values contain parts of an earlier execution, or outside input. */
	readonly literalParameters?: readonly string[];
	/**
	 * Author and pack of the templates in `parameters`, if the author is not the principal. The templates are rendered with the permissions of
	 * this author. Must not be set from client input.
	 */
	readonly writer?: TemplateAuthor;
	/** Encrypted secrets that the parameters may contain: those of the execution that they come from. Must not be set from client input. */
	readonly knownSecrets?: string | null;
	/** User for whom the action runs. Only administrators may name another user than the principal. Null or empty: the principal. */
	readonly user?: string | null;
	readonly context?: JsonObject;
	/** Trace context of the caller: the `traceparent` header of W3C Trace Context. An invalid value is ignored. */
	readonly traceparent?: string;
	readonly notify?: JsonObject;
	/** True if `notify` replaces the `notify` of the action. Default false. */
	readonly isNotifyFirst?: boolean;
	readonly callback?: JsonObject;
	/** Milliseconds to wait before the run starts. Default 0. */
	readonly delay?: number;
}

/** Input of a re-run: differences from the execution that is run again. */
export interface RerunInput {
	readonly parameters?: JsonObject;
	/** Tasks of a workflow to run again. */
	readonly tasks?: readonly string[];
	/** Those of `tasks` that start from the beginning, including items that have succeeded. */
	readonly reset?: readonly string[];
	readonly user?: string;
	/** Milliseconds to wait before the run starts. */
	readonly delay?: number;
	/** True if only the given parameters are used. Default false: the given parameters are merged into those of the old execution. */
	readonly noMerge?: boolean;
}

/** A change of status that a client requests. */
export interface StatusChange {
	readonly status?: ExecutionStatus;
	readonly result?: JsonObject;
	/** Stored in the log entry of the new status. */
	readonly reason?: string;
}

/**
 * Conditions on executions; all given fields must match. A condition is a string, null for a field without a value, or a list of
 * alternative strings. An empty list matches nothing.
 */
export type ExecutionFilter = {
	readonly [F in
		| "id"
		| "status"
		| "parent_id"
		| "action_ref"
		| "runner_name"
		| "rule_name"
		| "trigger_name"
		| "trigger_type_name"
		| "trigger_instance_id"
		| "user"
		| "liveaction_id"
		| "trace_id"]?: string | null | readonly string[];
} & {
	/** Bounds: `gte` and `lte` are inclusive, `gt` and `lt` exclusive. */
	readonly start_timestamp?: { readonly gt?: string; readonly gte?: string; readonly lt?: string; readonly lte?: string };
};

/** Filter, order and fields of a list of executions. */
export interface ExecutionListQuery extends Paging {
	readonly filter: ExecutionFilter;
	/** Fields of `ExecutionEntity` with a direction. Default: `start_timestamp` descending, then `action_ref`. */
	readonly orderBy?: readonly (readonly [keyof ExecutionEntity, "asc" | "desc"])[];
	/** Entity fields to read. Default: all. Leaving out `result` makes lists of large results fast. */
	readonly fields?: readonly (keyof ExecutionEntity)[];
	/** True if the ids of the children are read. Default true. */
	readonly children?: boolean;
}

/** The executions of an engine. */
export interface Executions {
	/**
	 * Creates an execution. The execution is on disk when the promise resolves with its `requested` state. Throws `SVC_NOT_FOUND` if the
	 * action does not exist, and `SVC_INVALID` if it is disabled or the input is invalid. Throws `SVC_FORBIDDEN` if the input names a user or
	 * a parent for which the caller may not start executions.
	 */
	submit(input: SubmitInput, principal: Principal): Promise<ExecutionView>;
	/**
	 * Returns the execution with an id. `last` is the execution with the latest `start_timestamp`; throws `SVC_INVALID` if no execution exists
	 * yet. Throws `SVC_NOT_FOUND` if the execution does not exist.
	 */
	get(
		idOrLast: string,
		/** `fields`: entity fields to read; default: all. `children`: true if the ids of the children are read; default true. */
		options?: { readonly fields?: readonly (keyof ExecutionEntity)[]; readonly children?: boolean },
	): Promise<ExecutionView>;
	/** Returns a page of the executions that match. */
	list(query: ExecutionListQuery): Promise<Page<ExecutionView>>;
	/** Translates the values of a filter on a field: replaces names of a dialect by the service's own names. */
	toServiceNames(field: string, value: string | readonly string[]): string | readonly string[];
	/** Returns the rule and the event that started each execution, by execution id. Executions that were not started by a rule are absent. */
	triggeringRules(executions: readonly ExecutionEntity[], selection: TriggeringRuleSelection): Promise<ReadonlyMap<string, RuleAndEvent>>;
	/**
	 * Returns descendants in depth-first order, or by start time (`sorted`). They are read only as far as the caller iterates.
	 * A `depth` of 0 or less means all generations.
	 */
	descendants(id: string, options: { readonly depth: number; readonly sorted: boolean }): Promise<AsyncIterable<Descendant>>;
	/** Returns the executions with these ids, in the order of the ids. Executions that do not exist are left out. */
	findByIds(ids: readonly string[]): Promise<readonly ExecutionView[]>;
	/**
	 * Returns the ids of the questions that a paused execution waits for, if all of its open branches wait for answers; otherwise none. If any
	 * id is returned, `setStatus` refuses a resume.
	 */
	awaitedQuestions(execution: Pick<ExecutionEntity, "id" | "status" | "runner_name" | "fence">): Promise<readonly string[]>;
	/**
	 * Cancels an execution. The reason is stored in the log entry of the status. If the status does not allow a cancellation, `refused` is an
	 * explanation. `wasCanceled` is true if the execution had been canceled before.
	 */
	cancel(
		id: string,
		principal: Principal,
		reason?: string,
	): Promise<{ readonly view: ExecutionView; readonly refused?: string; readonly wasCanceled: boolean }>;
	/**
	 * Changes the status on a request (PUT). Throws `SVC_INVALID` if the execution cannot change to that status. Throws `SVC_CONFLICT` for a
	 * resume of an execution that only waits for answers (`awaitedQuestions`).
	 */
	setStatus(id: string, change: StatusChange, principal: Principal): Promise<ExecutionView>;
	/** Runs the action of an execution, or some tasks of a workflow, again as a new execution. */
	rerun(id: string, input: RerunInput, principal: Principal): Promise<ExecutionView>;
	/** Returns the distinct values of executions for each filter name of `views/filters`, or only for `types`. */
	filterValues(types: readonly string[] | undefined): Promise<Record<string, JsonValue>>;
}

/** A recorded chunk of output, with the refs of action and runner that its event contains. */
export type OutputChunk = OutputChunkEntity & { readonly action_ref: string; readonly runner_ref: string };

/** Selection of output to read. */
export interface OutputSelection {
	/** Only output of this type is read, and only its lines are counted. Default: output of all types. */
	readonly type?: OutputType | undefined;
	/** Number of the first line to read, counted from 1. Default 1. */
	readonly fromLine?: number | undefined;
	/** Maximum number of lines. Default: all. */
	readonly lines?: number | undefined;
	/** Only lines that contain this string are returned. Each is preceded by its number and a colon, and cut after 4,096 characters. */
	readonly find?: string | undefined;
	/** True if secrets are masked; `find` then searches the masked text. Default false. */
	readonly masked?: boolean;
	readonly signal?: AbortSignal;
}

/** A line of output. */
export interface OutputLine {
	/** Number of the line, counted from 1. */
	readonly line: number;
	/** Type of the chunk in which the line begins. */
	readonly output_type: OutputType;
	/** Time of the chunk in which the line begins. */
	readonly timestamp: string;
	/** The first 4,096 characters of the line, without its line ending. */
	readonly text: string;
	/** Number of characters of the whole line. */
	readonly length: number;
}

/** Selection of single lines of output. */
export interface LinesSelection extends Pick<OutputSelection, "type" | "fromLine" | "find" | "masked" | "signal"> {
	/** Maximum number of lines. */
	readonly lines: number;
	/** True if only lines of stderr, and lines with a word such as `error`, are selected. Cannot be combined with `find`. Default false. */
	readonly isErrorsOnly?: boolean | undefined;
}

/** Lines of output, and the number of lines that exist. */
export interface OutputLines {
	/** Number of lines of the whole output so far, including a last line without a line ending. */
	readonly total: number;
	readonly lines: readonly OutputLine[];
	/** Number of the line at which to continue; undefined if there are no more lines. */
	readonly nextLine: number | undefined;
	/** End of the output at the time of reading; undefined if reading stopped earlier, because the requested number of lines was reached. */
	readonly end: OutputEnd | undefined;
}

/** End of the output so far. A client can follow the output from there. */
export interface OutputEnd {
	/** Sequence number of the last chunk; 0 if there is none. */
	readonly sequence: number;
	/** True if the last line has no line ending, so that the next chunk continues it. */
	readonly isLineOpen: boolean;
}

/** The output of the executions of an engine. */
export interface OutputAccess {
	/** Returns selected lines of the output stored so far, each with its number, type and time. */
	lines(executionId: string, selection: LinesSelection): Promise<OutputLines>;
	/** Yields the text stored so far, or selected lines of it, in parts. Ends after the last stored chunk. */
	read(executionId: string, selection: OutputSelection): AsyncIterable<string>;
	/**
	 * Returns every chunk with a sequence number above `after` once, in order: stored chunks, then new ones, until the execution is final.
	 * There is no gap and no repetition, no matter when the method is called. Ends without an error when `signal` aborts.
	 */
	follow(
		executionId: string,
		options: { readonly type?: OutputType; readonly after?: number; readonly signal: AbortSignal },
	): AsyncIterable<OutputChunk>;
	/**
	 * Returns chunks as `follow` does, but the text of a chunk is valid only until the caller requests the next one. This saves copying each
	 * text.
	 */
	followShared(...given: Parameters<OutputAccess["follow"]>): OutputFollower;
}

/** The chunks of an output for one subscriber. Calls of `next` must not overlap. */
export interface OutputFollower extends AsyncIterableIterator<OutputChunk, undefined> {
	/** True if no other subscriber on this node follows the output. */
	readonly isOnlySubscriber: boolean;
	/** Returns the next chunk if it is cached, otherwise undefined. Chunks returned before remain valid until `next` is called. */
	takeCached(): OutputChunk | undefined;
}

interface ExecutionViewOptions extends Uses<"sealedSecrets" | "isWorkflow"> {
	/** Ids of the children. Default: none. */
	readonly children?: readonly string[];
}

/** Returns an execution with the related data that is needed to present it. Its secrets are decrypted on first access. */
export function toExecutionView(entity: ExecutionEntity, snapshot: ActionSnapshotEntity, options: ExecutionViewOptions): ExecutionView {
	return new LazyExecutionView(entity, snapshot, options);
}

/**
 * A class, so that all views share the getter: V8 (Node 20) would keep a getter that belongs to a single object, and its closure, alive
 * until a full GC.
 */
class LazyExecutionView implements ExecutionView {
	readonly entity: ExecutionEntity;
	readonly snapshot: ActionSnapshotEntity;
	readonly children: readonly string[];
	readonly isWorkflow: boolean;
	readonly #sealedSecrets: EncryptedSecrets;
	#secrets: Redactor | undefined;

	constructor(entity: ExecutionEntity, snapshot: ActionSnapshotEntity, { sealedSecrets, isWorkflow, children = [] }: ExecutionViewOptions) {
		this.entity = entity;
		this.snapshot = snapshot;
		this.children = children;
		this.isWorkflow = isWorkflow(snapshot.runner.name);
		this.#sealedSecrets = sealedSecrets;
	}

	get secrets(): Redactor {
		this.#secrets ??= this.#sealedSecrets.decryptForExecution(this.entity, this.snapshot);
		return this.#secrets;
	}
}

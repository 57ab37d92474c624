import type {
	ExecutionEntity,
	ExecutionStatus,
	JsonObject,
	JsonValue,
	OutputChunkEntity,
	OutputType,
	SnapshotEntity,
} from "../../contract/index.ts";
import type { KnownSecrets } from "../../secrets/redactor.ts";
import type { Page, Paging } from "../basics/pagination.ts";
import type { Principal } from "../basics/principal.ts";
import type { CauseSelection, RuleCause } from "./triggering-rules.ts";

/** An execution as far as the tree needs it. There may be hundreds of thousands. */
export type Descendant = Pick<ExecutionEntity, "id" | "parent_id" | "start_timestamp" | "action_ref">;

/** An execution with what is needed to show it: its snapshot and the ids of its children. */
export interface ExecutionView {
	/** Fields that were not asked for are absent. */
	readonly entity: ExecutionEntity;
	readonly snapshot: SnapshotEntity;
	/** The first 1,000. */
	readonly children: readonly string[];
	/** Whether it is made of others. */
	readonly isWorkflow: boolean;
	/** What of it must not be shown. */
	readonly secrets: KnownSecrets;
}

/** Author of templates that are rendered for another user. */
export interface ParameterWriter {
	readonly author: string;
	/** Scopes of the API key that the templates were written with. Null: no limit. */
	readonly scopes: readonly string[] | null;
	readonly pack: string;
}

/** Body of `POST /executions`, checked for types by the route. */
export interface SubmitInput {
	readonly action: string;
	readonly parameters?: JsonObject;
	/** Values taken as they are, never rendered, where `parameters` has none: what an earlier execution ran with. Not for outside input. */
	readonly plainParameters?: JsonObject;
	/** Names of given parameters that are taken as they are too, since parts of them are an earlier execution's. */
	readonly literal?: readonly string[];
	/**
	 * Author of the templates in `parameters`, if that is another user than the principal, and the pack that they belong to. The templates are
	 * rendered with the permissions of this author. Not for outside input.
	 */
	readonly writer?: ParameterWriter;
	/** What is secret in `plainParameters` and where they come from. Not for outside input. */
	readonly knownSecrets?: string | null;
	/** Another user only for administrators. Null or empty: the principal. */
	readonly user?: string | null;
	readonly context?: JsonObject;
	/** Where whoever asks stands in a trace, as W3C Trace Context says it in the header of that name; what is none is left out. */
	readonly traceparent?: string;
	readonly notify?: JsonObject;
	/** Whether `notify` counts although the action has one of its own. Default false. */
	readonly isNotifyFirst?: boolean;
	readonly callback?: JsonObject;
	/** Milliseconds. */
	readonly delay?: number;
}

/** What to change when an execution is run again. */
export interface RerunInput {
	readonly parameters?: JsonObject;
	readonly tasks?: readonly string[];
	readonly reset?: readonly string[];
	readonly user?: string;
	readonly delay?: number;
	/** Take only the given parameters instead of laying them over the old ones. */
	readonly noMerge?: boolean;
}

/** Every field given must match: one value, null for none, or any of a list. An empty list matches nothing. */
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
	/** Inclusive bounds. */
	readonly start_timestamp?: { readonly gt?: string; readonly gte?: string; readonly lt?: string; readonly lte?: string };
};

/** Which executions a list holds, in which order. */
export interface ExecutionListQuery extends Paging {
	readonly filter: ExecutionFilter;
	/** Field of `ExecutionEntity` and direction; default start_timestamp descending, then action_ref. */
	readonly orderBy?: readonly (readonly [keyof ExecutionEntity, "asc" | "desc"])[];
	/** Entity fields that will be shown; default all. Leaving out `result` keeps lists of large results quick. */
	readonly fields?: readonly (keyof ExecutionEntity)[];
	/** Whether `children` will be shown. Default true. */
	readonly children?: boolean;
}

/** The executions of an engine. */
export interface Executions {
	/** Create an execution: on disk with status `requested` when the promise resolves. Errors as in reference 8.1. */
	submit(input: SubmitInput, principal: Principal): Promise<ExecutionView>;
	/** `last` stands for the most recently scheduled one (`SVC_INVALID` while there is none). `SVC_NOT_FOUND` for anything unknown. */
	get(
		idOrLast: string,
		/** `children`: whether they will be shown; default true. */
		options?: { readonly fields?: readonly (keyof ExecutionEntity)[]; readonly children?: boolean },
	): Promise<ExecutionView>;
	list(query: ExecutionListQuery): Promise<Page<ExecutionView>>;
	/** The service's names for those that a filter on a field has in the words of a dialect. */
	toOwnNames(field: string, value: string | readonly string[]): string | readonly string[];
	/** What rules have started executions from, by the ids of those that a rule has started. */
	causes(executions: readonly ExecutionEntity[], selection: CauseSelection): Promise<ReadonlyMap<string, RuleCause>>;
	/** Descendants in depth-first order, or by start time, read only as far as the caller goes. `depth` 0 or negative: all generations. */
	descendants(id: string, options: { readonly depth: number; readonly sorted: boolean }): Promise<AsyncIterable<Descendant>>;
	/** The executions with these ids, in their order; without those that do not exist. */
	ofIds(ids: readonly string[]): Promise<readonly ExecutionView[]>;
	/**
	 * Ids of the questions that a paused execution waits for, if a resume could do nothing else and is refused; else empty. The same as
	 * `setStatus` checks.
	 */
	awaitedQuestions(execution: Pick<ExecutionEntity, "id" | "status" | "runner_name" | "fence">): Promise<readonly string[]>;
	/**
	 * Asks for the end of an execution; the reason is kept in the log entry of the state. `refused` says why that is no longer possible;
	 * `wasCanceled` is true if it was canceled before.
	 */
	cancel(
		id: string,
		principal: Principal,
		reason?: string,
	): Promise<{ readonly view: ExecutionView; readonly refused?: string; readonly wasCanceled: boolean }>;
	/**
	 * PUT: change of status from outside. `SVC_CONFLICT` for a resume of an execution that only waits for answers (`awaitedQuestions`);
	 * `SVC_INVALID` for a status that the execution cannot have next.
	 */
	setStatus(
		id: string,
		change: { readonly status?: ExecutionStatus; readonly result?: JsonObject; readonly reason?: string },
		principal: Principal,
	): Promise<ExecutionView>;
	rerun(id: string, input: RerunInput, principal: Principal): Promise<ExecutionView>;
	/** Different values in use, for each filter name of `views/filters`. */
	filterValues(types: readonly string[] | undefined): Promise<Record<string, JsonValue>>;
}

/** A recorded chunk with the refs its event carries. */
export type OutputChunk = OutputChunkEntity & { readonly action_ref: string; readonly runner_ref: string };

/** Which output is read. */
export interface OutputSelection {
	/** Only this type. Lines are counted in what is left then. */
	readonly type?: OutputType | undefined;
	/** Number of the first line, from 1. Default 1. */
	readonly fromLine?: number | undefined;
	/** How many lines at most. Default: all. */
	readonly lines?: number | undefined;
	/** Only lines that show this text, each behind its number and a colon; more than 4,096 characters of a line are cut. */
	readonly find?: string | undefined;
	/** Without the secrets in it, which is also what is searched and counted. Default false. */
	readonly masked?: boolean;
	readonly signal?: AbortSignal;
}

/** A line of an output, as it is shown. */
export interface OutputLine {
	/** From 1. */
	readonly line: number;
	/** Of the chunk that it begins in. So is the time. */
	readonly output_type: OutputType;
	readonly timestamp: string;
	/** At most 4,096 characters of it, without its end. */
	readonly text: string;
	/** How many characters it has. */
	readonly length: number;
}

/** Which lines of an output are wanted, one by one. */
export interface LinesSelection extends Pick<OutputSelection, "type" | "fromLine" | "find" | "masked" | "signal"> {
	/** How many at most. */
	readonly lines: number;
	/** Only lines of stderr, and lines with a word such as `error`. Not together with `find`. Default false. */
	readonly isTrouble?: boolean | undefined;
}

/** Lines of an output, and how many it has. */
export interface OutputLines {
	/** Of the whole output so far, a last one without an end among them. */
	readonly total: number;
	readonly lines: readonly OutputLine[];
	/** Where to go on; undefined where there is nothing more. */
	readonly nextLine: number | undefined;
	/** Where the output ended when it was read; undefined where lines were left that are not wanted any more. */
	readonly end: OutputEnd | undefined;
}

/** The end of an output so far, from which it can be followed. */
export interface OutputEnd {
	/** Of the last chunk; 0 before the first one. */
	readonly sequence: number;
	/** Whether the last line goes on with the next chunk. */
	readonly isLineOpen: boolean;
}

/** The output of the executions of an engine. */
export interface Output {
	/** Some lines of what is stored so far, each with its number, its type and its time. */
	lines(executionId: string, selection: LinesSelection): Promise<OutputLines>;
	/** The stored text so far, or some lines of it, in pieces; ends when all that is stored has been read. */
	read(executionId: string, selection: OutputSelection): AsyncIterable<string>;
	/**
	 * Every chunk once, in sequence: what is stored after `after`, then what arrives, until the execution is final. No gap and
	 * no repeat, whenever it is called. Ends without an error when `signal` aborts.
	 */
	follow(
		executionId: string,
		options: { readonly type?: OutputType; readonly after?: number; readonly signal: AbortSignal },
	): AsyncIterable<OutputChunk>;
	/** The same, where what is read of a chunk is read before the next one is asked for: afterwards its text may be gone. */
	followShared(...given: Parameters<Output["follow"]>): SharedChunks;
}

/** The chunks of an output for one of its readers. */
export interface SharedChunks extends AsyncIterableIterator<OutputChunk, undefined> {
	/** Whether nobody else on this node follows the output. */
	readonly isAlone: boolean;
	/** The chunk behind the last one, where it need not be waited for. What was given before stays until `next` is called. */
	takeAtHand(): OutputChunk | undefined;
}

import type { ChildExecutions } from "./children.ts";
import type { Expressions } from "./expressions.ts";
import type { LastDecision, PartialRerunSource, RunJournal } from "./journal.ts";
import type { JsonObject } from "./json.ts";
import type { PackSensors } from "./pack-sensor.ts";
import type { PackTools } from "./pack-tools.ts";
import type { ParameterDefinitions, ParameterValues } from "./parameters.ts";
import type { Lifecycle, Logger, Plugin } from "./plugin.ts";
import type { TriggerReference } from "./trigger-reference.ts";
import type { ActionSignature, WorkflowDefinitionSupport } from "./workflow-definitions.ts";

/**
 * Channel of a chunk of output.
 *
 * - `stdout`: standard output.
 * - `stderr`: standard error.
 * - `other`: output that belongs to neither.
 */
export type OutputType = "stdout" | "stderr" | "other";

/** Capabilities of a runner. Host and conformance suite rely on this data alone. All default to false. */
export interface RunnerCapabilities {
	/** True if the runner calls `emit` while the action runs. */
	readonly streaming?: boolean;
	/** True if the runner ends the work promptly when `signal` aborts. Otherwise the host waits until `run` returns by itself. */
	readonly cancellation?: boolean;
	/**
	 * True if the runner reattaches to a run after a restart of the service. It needs `recover`, and calls `saveState` as soon as it
	 * can do so.
	 */
	readonly recovery?: boolean;
	/**
	 * True if runs consist of other executions (`action_is_workflow`) and can be paused. Needs `cancellation`, `recovery` and a
	 * `recover` that continues paused runs.
	 *
	 * Such a run writes each step to its journal before it carries the step out, so it can be recovered from the beginning. If the
	 * journal is empty, `recover` must start the run anew.
	 */
	readonly workflow?: boolean;
}

/**
 * Reason for the end of a run. It is `signal.reason` after the signal has aborted.
 *
 * - `cancel`: the end was requested; the execution ends `canceled`. Also used if the execution no longer belongs to this run, for example
 *   after its lease has expired. After that, nothing of the run is stored.
 * - `timeout`: the parameter `timeout` or `svc_timeout` (seconds) has passed; the execution ends `timeout`.
 * - `shutdown`: the service stops and its grace period has passed; the execution ends `abandoned`. A run that has called `saveState`
 *   receives the abort at once, without a grace period. It may let its work continue and resolve with the status `running`.
 */
export class RunAborted extends Error {
	override readonly name = "RunAborted";
	readonly kind: "cancel" | "timeout" | "shutdown";

	constructor(kind: "cancel" | "timeout" | "shutdown", message: string) {
		super(message);
		this.kind = kind;
	}
}

/** Output of a run on one channel so far, for the result. */
export interface CapturedOutput {
	/** The output from its start, at most `actionrunner.max_result_output` bytes (default 1 MiB). It includes a final newline. */
	readonly text: string;
	/** True if `text` was truncated. The stored output stream is complete nevertheless. */
	readonly truncated: boolean;
	/** Number of emitted bytes, before truncation. */
	readonly bytes: number;
}

/** Records output; see `RunContext.emit`. */
export interface EmitOutput {
	(type: OutputType, data: string): Promise<void>;
	/**
	 * Records output that is given as bytes, each of them an ASCII character. For runners with bulk output.
	 *
	 * The caller may reuse the bytes as soon as the function has returned its promise. Absent if only strings are accepted.
	 */
	readonly bytes?: (type: OutputType, bytes: Uint8Array) => Promise<void>;
}

/** The execution that an announcement describes. */
export interface AnnouncementSubject {
	readonly action_ref: string;
	/** The user who started the execution. */
	readonly user: string;
}

/** Everything that a runner needs for one run. It is valid until `run` settles. */
export interface RunContext<S extends ParameterDefinitions = ParameterDefinitions> {
	readonly execution_id: string;
	/** Id of the live action. It is never reused, so it can name resources that a run creates on other machines. */
	readonly liveaction_id: string;
	/** Ref of the action: `<pack>.<action>`. */
	readonly action_ref: string;
	/** Ref of the action's pack. */
	readonly pack: string;
	/** The user who started the execution. */
	readonly user: string;
	/**
	 * Absolute path of the script or module, below the `actions` directory of the pack. The host does not check that it exists. Empty if there
	 * is none.
	 */
	readonly entryPoint: string;
	/** Absolute path of the action's pack directory. Undefined if the pack has no directory, as for `core` and `default`. */
	readonly packDirectory: string | undefined;
	/** The runner's own parameters: rendered, cast and validated, with defaults applied. */
	readonly runnerParameters: ParameterValues<S>;
	/** The other parameters of the action in declaration order. Parameters without a value are null. */
	readonly actionParameters: JsonObject;
	/** Definitions of `actionParameters`, for runners that need position or type. */
	readonly actionSchema: ParameterDefinitions;
	/** Configuration of the action's pack, with defaults applied and secrets decrypted. Empty if the pack has none. */
	readonly packConfig: JsonObject;
	/** Environment variables that the service sets for processes (`SVC_ACTION_…`). They take precedence over the parameter `env`. */
	readonly environment: Readonly<Record<string, string>>;
	/** Aborts on cancel, time-out, shutdown and loss of the execution to another node. Its reason is a `RunAborted`. */
	readonly signal: AbortSignal;
	readonly logger: Logger;
	/**
	 * Records a chunk of output. The order within a channel is preserved.
	 *
	 * Pass complete characters: decode with a streaming decoder. Await the promise, which provides back-pressure: it resolves at once while
	 * the storage keeps up, otherwise when there is capacity again. It rejects if the execution no longer belongs to this run, which must
	 * then end.
	 */
	readonly emit: EmitOutput;
	/** Returns the output of a channel so far, truncated to the limit for results. */
	captured(type: OutputType): CapturedOutput;
	/**
	 * Publishes an event on the general stream: `svc.announcement__<route>` with `{payload, trace_context}`.
	 *
	 * All clients that may follow the stream receive it. `about` names the execution that the payload describes. In that case only users who
	 * may view that execution receive the announcement, and the user who started it. Throws `SVC_INVALID` unless `route` consists of 1 to 255
	 * letters, digits, dots, `-` and `_`.
	 */
	announce(route: string, payload: JsonObject, options?: { readonly about?: AnnouncementSubject }): void;
	/**
	 * Dispatches a trigger. Resolves with the id of the trigger instance when the instance is durable.
	 *
	 * Throws `SVC_INVALID` if the trigger is unknown or its schema refuses the payload. Throws `SVC_FORBIDDEN` for the trigger of a signed
	 * webhook. Triggers of the service itself are `SVC_FORBIDDEN` too, unless the execution has the permissions of an administrator.
	 * @param trigger ref of a trigger or trigger type, or a type with parameters
	 */
	dispatch(trigger: TriggerReference, payload: JsonObject, options?: { readonly traceTag?: string }): Promise<string>;
	/**
	 * Stores the state from which `recover` can reattach to the run. For runners with `recovery`.
	 *
	 * The state is durable when the promise resolves. Save it before the work begins: a crash in between would leave work that no node
	 * can find. Rejects if the execution no longer belongs to this run.
	 */
	saveState(state: JsonObject): Promise<void>;
	/** The child executions of this run. */
	readonly children: ChildExecutions;
	/** The journal of the run, from which `recover` continues it. */
	readonly journal: RunJournal;
	/**
	 * Evaluates expressions with the permissions of the execution on the datastore. Secrets that they decrypt are masked in the run
	 * from then on.
	 */
	readonly expressions: Expressions;
	/** Returns the action with this ref, for checks of definitions. Resolves with undefined if the action does not exist. */
	findAction(ref: string): Promise<ActionSignature | undefined>;
	/** The execution that this one partially re-runs. Undefined if this execution is not a partial re-run. */
	readonly takenUp: PartialRerunSource | undefined;
	/** The complete `context` of the execution, as the API shows it. */
	readonly context: JsonObject;
	/**
	 * Recipients of notifications about the end of the execution, in the form that `notify` of actions has. Null if there are none.
	 *
	 * They are not recipients for the children of the run. Each request for a child may name its own (`ChildRequest.notify`).
	 */
	readonly notify: JsonObject | null;
	/**
	 * Aborts if the execution must pause (`pausing`). For runners with `workflow`.
	 *
	 * The run must then start nothing new and pause all children that support it. When nothing is active any more, it resolves with the
	 * status `paused`. If the run ends first, it ends as usual. If a run is recovered while it is pausing, the signal is aborted from the
	 * beginning.
	 *
	 * When `recover` continues a run, it must read the state of the children first. When the run pauses, the host checks only children that
	 * the runner has read in this run. If such a child has changed since then, the host resumes the run at once.
	 */
	readonly pausing: AbortSignal;
	/**
	 * Requests a pause or the end of this execution, as a user can over the API. For runners with `workflow`.
	 *
	 * When the promise resolves, the status is `pausing` or `canceling`, and the signal has aborted. Call it if a child waits for the
	 * answer to an inquiry or was canceled.
	 */
	request(change: "pause" | "cancel"): Promise<void>;
	/**
	 * Sets the location of the run, which the API shows as `liveaction.runner_info`. Default: the host name and the process id of the
	 * service.
	 */
	setRunnerInfo(info: { readonly hostname?: string; readonly pid?: number }): void;
}

/** Input of `runAtOnce`: the data of a run, without any members that have effects. */
export type AtOnceContext<S extends ParameterDefinitions = ParameterDefinitions> = Pick<
	RunContext<S>,
	| "execution_id"
	| "liveaction_id"
	| "action_ref"
	| "pack"
	| "user"
	| "runnerParameters"
	| "actionParameters"
	| "actionSchema"
	| "packConfig"
	| "context"
>;

/** Result of a run. */
export interface RunResult {
	/** True if the action succeeded. */
	readonly succeeded: boolean;
	/** The `result` of the execution. */
	readonly result: JsonObject;
	/**
	 * Status that describes `succeeded: false` more precisely. Default: `failed`, or the status of the reason if the signal has
	 * aborted.
	 *
	 * - `failed`: the action failed.
	 * - `timeout`: a time-out has passed.
	 * - `abandoned`: the service stopped or crashed during the run.
	 * - `canceled`: executions that the run consists of were canceled.
	 * - `pending`: the run waits for the answer to an inquiry; `result` describes the inquiry.
	 * - `running`: the service is stopping (`shutdown`) and the work continues; `recover` reattaches to it later; `result` is ignored.
	 * - `paused`: for runners with `workflow`. Nothing is active, and the lease is released. `recover` continues the run after a
	 *   request to resume or end it; `result` is the intermediate result.
	 * - `resuming`: as `paused`, but the cause of the pause has already ended; `recover` continues the run at once.
	 */
	readonly status?: "failed" | "timeout" | "abandoned" | "pending" | "running" | "paused" | "resuming" | "canceled";
	/**
	 * Last entry of the journal. It is stored in the write that stores the end of the run, so that neither exists without the other.
	 *
	 * Omit it if the status is not final: append the decisions of a pause to the journal before the run resolves.
	 */
	readonly decided?: LastDecision;
}

/** Input of `prepare`. */
export interface PackPreparation {
	/** Ref of the pack. */
	readonly pack: string;
	/** Absolute path of the pack's files on this node. Its content is not registered yet, and may never be. */
	readonly packDirectory: string;
	/** Aborts when the caller no longer waits for the result. */
	readonly signal: AbortSignal;
	/** Reports progress to clients that follow the installation, in complete lines. Await the promise, which provides back-pressure. */
	emit(type: OutputType, text: string): Promise<void>;
}

/**
 * Runs actions of one runner type. One instance serves all executions of the service concurrently.
 *
 * The host takes care of parameters, time-out (parameter `timeout` or `svc_timeout`, seconds), cancel, masking, recording, states and
 * retries.
 */
export interface Runner<S extends ParameterDefinitions = ParameterDefinitions> extends Lifecycle {
	/** One sentence, shown in the record of the runner type. */
	readonly description: string;
	/**
	 * The runner's own parameters. An action may override default, description, enum, immutable and required of each of them.
	 *
	 * If actions may use a name for a parameter of their own, the runner must prefix its parameter with `svc_`.
	 */
	readonly parameters: S;
	readonly capabilities: RunnerCapabilities;
	/**
	 * Key of `result` that the `output_schema` of an action describes. Default: standard output if the result has `stdout`, otherwise the
	 * whole result.
	 */
	readonly outputKey?: string;
	/**
	 * Entry point of actions. Default `optional`.
	 *
	 * - `required`: an action must name a file.
	 * - `forbidden`: an action must not name a file.
	 * - `optional`: an action may name a file.
	 */
	readonly entryPoint?: "required" | "forbidden" | "optional";
	/** Support for definitions, for a runner whose entry points are definitions in YAML. */
	readonly definitions?: WorkflowDefinitionSupport;
	/** Checks files of packs during development and runs their unit tests (`svc pack check`, `svc pack test`). */
	readonly packTools?: PackTools;
	/**
	 * Runs one action.
	 *
	 * - Resolve with `succeeded: false` if the action failed.
	 * - Throw if the runner itself could not do its work. The execution then ends `failed` with `result.error`.
	 * - When `signal` aborts, end the work and resolve with the available result. The host sets the status.
	 */
	run(context: RunContext<S>): Promise<RunResult>;
	/**
	 * Returns the result of `run` for a runner that computes it from its input alone, without waiting and without side effects.
	 *
	 * The execution is then stored once, in its final state, instead of twice. The host calls it before it stores anything of the
	 * execution, which may never be stored. The host may call it again.
	 *
	 * Returns undefined if `run` must be called. The host also calls `run` if the result is not a plain success, if this function takes
	 * too long, or if it throws.
	 */
	runAtOnce?(context: AtOnceContext<S>): Promise<RunResult | undefined> | RunResult | undefined;
	/**
	 * Continues a run that another process or node has begun. `state` is the last state that the run passed to `saveState`.
	 *
	 * - Everything else is as in `run`. `emit` appends to the stored output, which `captured` includes.
	 * - The signal may have aborted already, because the time-out counts from the start of the run.
	 * - Returns undefined if the run cannot be found from this node. The execution then ends `abandoned`, or `canceled` if that was
	 *   requested.
	 * - For runners with `workflow`, the host also calls it to continue a paused run.
	 */
	recover?(context: RunContext<S>, state: JsonObject): Promise<RunResult | undefined>;
	/**
	 * Called when the end of a run is durable. Before that, a crashed service will call `recover` for the run; afterwards it will not.
	 *
	 * Not called for a run that continues without this service, or if another node has stored the end.
	 */
	afterRun?(run: { readonly execution_id: string; readonly liveaction_id: string }): Promise<void>;
	/**
	 * Prepares the environment that a pack needs before its content runs on this node, such as a virtualenv.
	 *
	 * The host calls it on the node that installs a pack. On other nodes, the first use of the pack must prepare it. Resolves at once if the
	 * environment is ready, or if the pack does not use the runner's language. Rejects with the reason of a failure, and leaves no files then.
	 */
	prepare?(pack: PackPreparation): Promise<void>;
	/**
	 * Support for sensors that packs provide as files in the runner's language.
	 *
	 * A node that runs sensors starts the runner for them even if it runs no actions.
	 */
	readonly packSensors?: PackSensors;
}

/** A runner plugin, as a configuration refers to it. The type of the schema is erased, because the host validates against the data. */
// biome-ignore lint/suspicious/noExplicitAny: the one erased type; a list of different runners cannot name each schema type
export type RunnerPlugin = Plugin<"runner", Runner<any>>;

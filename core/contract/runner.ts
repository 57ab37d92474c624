import type { ChildExecutions } from "./children.ts";
import type { ActionSignature, Definitions } from "./definitions.ts";
import type { Expressions } from "./expressions.ts";
import type { LastDecision, RunJournal, TakenUp } from "./journal.ts";
import type { JsonObject } from "./json.ts";
import type { PackSensors } from "./pack-sensor.ts";
import type { PackTools } from "./pack-tools.ts";
import type { ParameterSchema, ParameterValues } from "./parameters.ts";
import type { Lifecycle, Logger, Plugin } from "./plugin.ts";
import type { TriggerReference } from "./trigger-reference.ts";

/** Kind of a piece of output (specification, Execution output event). */
export type OutputType = "stdout" | "stderr" | "other";

/** What a runner can do. Data, not promises: host and conformance suite believe it and nothing else. All default to false. */
export interface RunnerCapabilities {
	/** Calls `emit` while the action runs. */
	readonly streaming?: boolean;
	/** Ends the work promptly when `signal` aborts. Without it the host waits for `run` to return by itself. */
	readonly cancellation?: boolean;
	/** Finds a run again after the service was restarted: has `recover`, and calls `saveState` once the run can be found. */
	readonly recovery?: boolean;
	/**
	 * Its runs are made of other executions (`action_is_workflow`), and pause when they are asked to: needs `cancellation`, `recovery` and a
	 * `recover` that goes on with what was paused. Everything that such a run does stands in its journal before, so that it is recovered from its first
	 * moment: where the journal is empty, `recover` begins anew.
	 */
	readonly workflow?: boolean;
}

/**
 * Why a run is being ended. It is `signal.reason` once the signal has aborted.
 *
 * - `cancel`: somebody asked for it; the execution ends `canceled`.
 * - `timeout`: the parameter `timeout` or `svc_timeout` (seconds) has passed; it ends `timeout`.
 * - `shutdown`: the service stops and its grace has passed; it ends `abandoned`. A run that has called `saveState` is told at
 *   once, without grace: it may leave its work going and resolve with the status `running`.
 */
export class RunAborted extends Error {
	override readonly name = "RunAborted";
	readonly kind: "cancel" | "timeout" | "shutdown";

	constructor(kind: "cancel" | "timeout" | "shutdown", message: string) {
		super(message);
		this.kind = kind;
	}
}

/** What the run has emitted on one channel so far, kept for the result. */
export interface CapturedOutput {
	/** From the start, at most `actionrunner.max_result_output` bytes (default 1 MiB). Keeps a final newline. */
	readonly text: string;
	/** Whether `text` was cut. The stored output stream is complete all the same. */
	readonly truncated: boolean;
	/** Bytes emitted, cut or not. */
	readonly bytes: number;
}

/** Records output, as `RunContext.emit` says. */
export interface EmitOutput {
	(type: OutputType, data: string): Promise<void>;
	/**
	 * The same for text as bytes, each of them a character of ASCII: for runners through which much passes. They are read before it returns
	 * its promise. Absent where output is taken as strings only.
	 */
	readonly bytes?: (type: OutputType, bytes: Uint8Array) => Promise<void>;
}

/** The execution that an announcement describes. */
export interface AnnouncedExecution {
	readonly action_ref: string;
	/** The user who started it. */
	readonly user: string;
}

/** Everything a runner needs for one run, and no more. Valid until `run` settles. */
export interface RunContext<S extends ParameterSchema = ParameterSchema> {
	readonly execution_id: string;
	/** Id of the live action: never used again, so that it can name what a run leaves on other machines. */
	readonly liveaction_id: string;
	/** `<pack>.<action>`. */
	readonly action_ref: string;
	readonly pack: string;
	/** Who started the execution. */
	readonly user: string;
	/** Absolute path of the script or module; empty for actions without an entry point. It existed a moment ago. */
	readonly entryPoint: string;
	/** Absolute path of the action's pack directory; undefined for an action that came over the API into no pack directory. */
	readonly packDirectory: string | undefined;
	/** The runner's own parameters: rendered, cast, validated, defaults applied. */
	readonly runnerParameters: ParameterValues<S>;
	/** The action's remaining parameters, in declaration order; unset ones are null. */
	readonly actionParameters: JsonObject;
	/** Definitions of `actionParameters`, for runners that need position or type. */
	readonly actionSchema: ParameterSchema;
	/** Configuration of the action's pack, defaults applied and secrets in clear; empty when it has none. */
	readonly packConfig: JsonObject;
	/** Variables the service gives to processes (`SVC_ACTION_…`). They win over the parameter `env`. */
	readonly environment: Readonly<Record<string, string>>;
	/** Aborts on cancel, time-out and shutdown; the reason is a `RunAborted`. */
	readonly signal: AbortSignal;
	readonly logger: Logger;
	/**
	 * Record a piece of output; order within one channel is kept. Give whole characters (decode with a streaming decoder).
	 * Await it: it resolves at once until the store falls behind, then when there is room again. That is the back-pressure.
	 * Rejects once the execution is no longer this run's, after which the run must end.
	 */
	readonly emit: EmitOutput;
	/** What has been emitted on a channel so far, cut to the limit for results. */
	captured(type: OutputType): CapturedOutput;
	/**
	 * Publish an event on the general stream: `svc.announcement__<route>` with `{payload, trace_context}`. All clients that may follow
	 * the stream get it. `about` names the execution that the payload describes: only users who may view that execution get the
	 * announcement then, and the user who started it.
	 */
	announce(route: string, payload: JsonObject, options?: { readonly about?: AnnouncedExecution }): void;
	/**
	 * Dispatch a trigger: a trigger type's or trigger's ref, or a type with parameters. On disk when the promise resolves with the
	 * instance's id. `SVC_INVALID` when the trigger is unknown or its schema refuses the payload; `SVC_FORBIDDEN` for the trigger of
	 * a signed webhook, and for those of the service itself unless the execution is an administrator's.
	 */
	dispatch(trigger: TriggerReference, payload: JsonObject, options?: { readonly traceTag?: string }): Promise<string>;
	/**
	 * Keep what `recover` needs to find the run again. On disk when the promise resolves: save before the work begins, or a crash
	 * between the two leaves work that nobody finds. For runners with `recovery`. Rejects once the execution is not this run's.
	 */
	saveState(state: JsonObject): Promise<void>;
	/** The executions that this run starts and waits for. */
	readonly children: ChildExecutions;
	/** What the run has decided so far, for whoever goes on with it. */
	readonly journal: RunJournal;
	/** Expressions, which read the datastore with the permissions of the execution. Secrets that they decrypt are known to the run from then on. */
	readonly expressions: Expressions;
	/** Actions by their ref, as a definition names them; undefined when there is none. */
	findAction(ref: string): Promise<ActionSignature | undefined>;
	/** The execution that this one takes up again: a re-run of chosen tasks. Undefined for all others. */
	readonly takenUp: TakenUp | undefined;
	/** The whole `context` of the execution, as it is shown. */
	readonly context: JsonObject;
	/** Who is told of the end of the execution, as actions say it; null: nobody. A child is told of like that only where its request says so. */
	readonly notify: JsonObject | null;
	/**
	 * Aborts when somebody asks the execution to pause (`pausing`). Start nothing new then, have children that can pause do so, and when nothing is
	 * active any more resolve with the status `paused`; an end that comes first is an end. Whoever goes on with a run looks at its children first: the
	 * host wakes a paused run for what its runner has not been told in this run, of children that it was told of. For runners with `workflow`; a run that is recovered while
	 * it is pausing has it aborted from the beginning.
	 */
	readonly pausing: AbortSignal;
	/**
	 * Ask for a pause or the end of this execution, as somebody could over the API: its status is `pausing` or `canceling` when the promise
	 * resolves, and the signal has aborted. For runners with `workflow`, which do so when a child asks a question or was canceled.
	 */
	request(change: "pause" | "cancel"): Promise<void>;
	/** Tell where the run lives; shown as `liveaction.runner_info`. Optional; host name and the service's pid are the default. */
	setRunnerInfo(info: { readonly hostname?: string; readonly pid?: number }): void;
}

/** What `runAtOnce` is given: what is known of a run, and nothing that it could do something with. */
export type AtOnceContext<S extends ParameterSchema = ParameterSchema> = Pick<
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

/** How a run ended. */
export interface RunResult {
	/** Whether the action did what it should. */
	readonly succeeded: boolean;
	/** Becomes `result` of the execution; a JSON object. */
	readonly result: JsonObject;
	/**
	 * A more exact word for `succeeded: false`, when the runner knows one. Without it the status is `failed`, or what the
	 * signal's reason says when it had aborted. Two are no ends. `pending`: the execution waits for an answer to an inquiry, and
	 * `result` is what describes it. `running`: the service stops (`shutdown`) and the work goes on without it, to be found
	 * again by `recover`; `result` is ignored. `paused`, of a runner with `workflow`: nothing is active, nobody holds the execution any more, and
	 * `recover` goes on once somebody asks it to resume or to end; `result` is what it has come to. `canceled`: what it is made of was canceled. `resuming`: as
	 * `paused`, and what it paused for is over: `recover` goes on at once.
	 */
	readonly status?: "failed" | "timeout" | "abandoned" | "pending" | "running" | "paused" | "resuming" | "canceled";
	/**
	 * The last entry of the journal, stored in the same write as the end: neither is there without the other. Of a result that is no end it is left
	 * out: what is decided with a pause is added to the journal before.
	 */
	readonly decided?: LastDecision;
}

/** What a runner is told when it is to make ready for a pack. */
export interface PackPreparation {
	/** Ref of the pack. */
	readonly pack: string;
	/** Absolute path of its files on this node. Nothing of it is registered yet, and perhaps nothing ever is. */
	readonly packDirectory: string;
	/** Aborts when nobody waits any more. */
	readonly signal: AbortSignal;
	/** Tell whoever follows the installation what is being done, in whole lines. Await it: it is the back-pressure. */
	emit(type: OutputType, text: string): Promise<void>;
}

/**
 * Runs actions of one runner type. One instance serves all executions of the service, many at a time.
 *
 * The host does the rest: parameters, time-out (parameter `timeout` or `svc_timeout`, seconds), cancel, masking, recording, states, retries.
 */
export interface Runner<S extends ParameterSchema = ParameterSchema> extends Lifecycle {
	/** One sentence, shown in the runner type record. */
	readonly description: string;
	/**
	 * The runner's own parameters. An action may override default, description, enum, immutable and required of each. A name that actions
	 * of the runner may want for themselves begins with `svc_`.
	 */
	readonly parameters: S;
	readonly capabilities: RunnerCapabilities;
	/** Key of `result` that an action's `output_schema` describes. Default: what is printed on standard output, where the result has `stdout`, else the whole. */
	readonly outputKey?: string;
	/** `required`: the action must name a file; `forbidden`: it must not. Default `optional`. */
	readonly entryPoint?: "required" | "forbidden" | "optional";
	/** Of a runner whose entry points are definitions in YAML. */
	readonly definitions?: Definitions;
	/** Looks at files of packs where they are written, and runs their unit tests (`svc pack check`, `svc pack test`). */
	readonly packTools?: PackTools;
	/**
	 * Run one action. Resolve with `succeeded: false` when the action failed; throw when the runner itself could not do its
	 * work (the execution then ends `failed` with `result.error`). When `signal` aborts, end the work and resolve with what
	 * there is; the host sets the status.
	 */
	run(context: RunContext<S>): Promise<RunResult>;
	/**
	 * The result of `run`, for a runner that makes it of what it is given, without waiting, and changes nothing anywhere. The execution is then
	 * stored once, as it has ended, instead of twice. Called before anything of it is stored: whether it ever will be is not known, and it may be called again.
	 * Undefined where `run` is to be called, which also happens where the result is no plain success, where it takes long, and where it throws.
	 */
	runAtOnce?(context: AtOnceContext<S>): Promise<RunResult | undefined> | RunResult | undefined;
	/**
	 * Go on with a run that an earlier process of the service began, or another node: `state` is what it last gave `saveState`.
	 * As `run` otherwise; `emit` goes on behind what is stored, and `captured` holds it. The signal may have aborted already,
	 * as the time-out counts from the start of the run. Undefined when the run cannot be found from here: the execution then
	 * ends `abandoned`, or `canceled` when that was asked for. Also called, of a runner with `workflow`, to go on after a pause.
	 */
	recover?(context: RunContext<S>, state: JsonObject): Promise<RunResult | undefined>;
	/**
	 * Called once the end of a run is on disk: until then a killed service will ask `recover` for it, afterwards nobody will.
	 * Not called for a run that goes on without this service, or whose end somebody else has stored.
	 */
	afterRun?(run: { readonly execution_id: string; readonly liveaction_id: string }): Promise<void>;
	/**
	 * Make ready what a pack needs before anything of it runs here, such as a virtualenv. Resolves at once where that is so already. Rejects with
	 * why it cannot, and leaves nothing behind then. Called when a pack is installed, on the node that installs it; elsewhere the first use has to do it. A runner
	 * whose language the pack does not use resolves.
	 */
	prepare?(pack: PackPreparation): Promise<void>;
	/** Sensors that packs bring as files of this runner's language. A node that runs sensors starts the runner for them, also where it runs no actions. */
	readonly packSensors?: PackSensors;
}

/** A runner as a configuration holds it. The schema type is erased: the host validates against the data. */
// biome-ignore lint/suspicious/noExplicitAny: the one erased alias; a schema type cannot be both given to and taken from a list of unlike runners
export type RunnerPlugin = Plugin<"runner", Runner<any>>;

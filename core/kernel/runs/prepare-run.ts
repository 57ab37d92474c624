import {
	type ExecutionEntity,
	type JsonObject,
	type Options,
	type OutputType,
	type RunContext,
	type Runner,
	type SnapshotEntity,
	type Storage,
	SvcError,
	type TakenUp,
} from "../../contract/index.ts";
import { collectSecrets } from "../../language/parameters/schema-masking.ts";
import { resolveInside, toActionsDirectory } from "../../lib/safe-path.ts";
import type { SealedSecrets } from "../../secrets/encrypted-secrets.ts";
import { findSecrets, takesSecrets } from "../../secrets/parameter-masking.ts";
import type { KnownSecrets } from "../../secrets/redactor.ts";
import { findSecretOutput } from "../../secrets/result-masking.ts";
import type { Catalog } from "../executions/action-catalog.ts";
import { readJournal } from "../executions/journal-entries.ts";
import type { EngineDependencies } from "../plugins/engine-dependencies.ts";
import { renderForRun, type TemplateSources } from "../submission/parameter-rendering.ts";
import type { Run } from "./active-runs.ts";

/** What a run is given from the beginning; the executor adds what it may ask for. */
type PreparedContext = Pick<
	RunContext,
	| "execution_id"
	| "liveaction_id"
	| "action_ref"
	| "pack"
	| "user"
	| "entryPoint"
	| "packDirectory"
	| "packConfig"
	| "runnerParameters"
	| "actionParameters"
	| "actionSchema"
	| "environment"
	| "logger"
	| "context"
	| "notify"
	| "takenUp"
>;

/** A runner and what it is called with; the executor adds what changes during the run. */
export interface PreparedRun {
	readonly runner: Runner;
	/** Seconds; undefined: as long as it takes. */
	readonly timeout: number | undefined;
	/** As the execution was made. */
	readonly snapshot: SnapshotEntity;
	/** What the run knows to be secret. */
	readonly secrets: KnownSecrets;
	/** What of it is kept with the execution. */
	readonly sealed: string | null;
	/** Output that is shown to nobody who may not see secrets. */
	readonly secretOutput: readonly OutputType[];
	readonly context: PreparedContext;
}

interface PrepareParts {
	readonly storage: Storage;
	readonly catalog: Catalog;
	readonly logger: EngineDependencies["logger"];
	readonly runners: ReadonlyMap<string, Runner>;
	readonly options: Options;
	readonly apiUrl: () => string;
	readonly templateSources: TemplateSources;
	readonly sealedSecrets: SealedSecrets;
}

/** Everything a run needs; throws what the execution then fails with. */
export async function prepareRun(execution: ExecutionEntity, snapshot: SnapshotEntity, parts: PrepareParts): Promise<PreparedRun> {
	const { action, runner: runnerType } = snapshot;
	const { sealedSecrets } = parts;
	const runner = parts.runners.get(execution.runner_name);
	if (runner === undefined) throw new SvcError("SVC_RUNNER", `runner type "${execution.runner_name}" is not configured on this node`);
	// What is running already goes on.
	if (execution.status === "scheduled" && !(await parts.catalog.isRunnerEnabled(execution.runner_name))) {
		throw new SvcError("SVC_RUNNER", `Runner "${execution.runner_name}" has been disabled by the administrator.`);
	}
	const pack = await parts.catalog.packDirectory(action.pack, action.content);
	const known = sealedSecrets.ofExecution(execution, snapshot);
	const { runnerParameters, actionParameters, config, secrets } = await renderForRun(
		{ runnerSchema: runnerType.runner_parameters, actionSchema: action.parameters, stored: execution.parameters },
		{ pack: action.pack, context: execution.context, author: execution.author, scopes: execution.scopes, known },
		parts.templateSources,
	);
	const learnt = takesSecrets(snapshot)
		? [...collectSecrets({ ...runnerParameters, ...actionParameters }, action.parameters, runnerType.runner_parameters), ...secrets]
		: secrets;
	const { actionSchema, secretOutput } = toFixed(snapshot);
	const timeout = runnerParameters["timeout"] ?? runnerParameters["svc_timeout"];
	return {
		runner,
		timeout: typeof timeout === "number" && timeout > 0 ? timeout : undefined,
		snapshot,
		secrets: known.with(learnt),
		sealed:
			learnt.length === 0 ? execution.known_secrets : sealedSecrets.add(execution.known_secrets, notStored(learnt, execution, snapshot)),
		secretOutput,
		context: {
			execution_id: execution.id,
			liveaction_id: execution.liveaction_id,
			action_ref: execution.action_ref,
			pack: action.pack,
			user: execution.user,
			entryPoint: toEntryPoint(runner, action, pack),
			packDirectory: pack,
			packConfig: config.values,
			runnerParameters,
			actionParameters,
			actionSchema,
			context: execution.context,
			notify: execution.notify,
			takenUp: await readTakenUp(parts.storage, execution),
			environment: toEnvironment(execution, action.pack, runnerParameters, parts.apiUrl()),
			logger: parts.logger.withTag(`runner ${execution.runner_name}`),
		},
	};
}

/** What all runs of a snapshot are given alike. */
interface Fixed {
	readonly actionSchema: SnapshotEntity["action"]["parameters"];
	readonly secretOutput: readonly OutputType[];
}

const fixed = new WeakMap<SnapshotEntity, Fixed>();

function toFixed(snapshot: SnapshotEntity): Fixed {
	let found = fixed.get(snapshot);
	if (found === undefined) {
		const { parameters } = snapshot.action;
		const isAction = ([name]: readonly [string, unknown]) => !Object.hasOwn(snapshot.runner.runner_parameters, name);
		const actionSchema = Object.fromEntries(Object.entries(parameters).filter(isAction));
		found = { actionSchema, secretOutput: findSecretOutput(snapshot) };
		fixed.set(snapshot, found);
	}
	return found;
}

/** What the stored parameters show to be secret need not be kept once more. */
function notStored(learnt: readonly string[], { parameters }: ExecutionEntity, snapshot: SnapshotEntity): readonly string[] {
	const own = findSecrets(parameters, snapshot);
	return learnt.filter((value) => !own.includes(value));
}

/** Only where the service itself has written that it takes something up. */
async function readTakenUp(storage: Storage, { takes_up, context }: ExecutionEntity): Promise<TakenUp | undefined> {
	if (takes_up === null) return undefined;
	const { tasks, reset } = context["re-run"] as { readonly tasks: readonly string[]; readonly reset: readonly string[] };
	return { execution_id: takes_up, tasks, reset, entries: await readJournal(storage, takes_up) };
}

function toEntryPoint(runner: Runner, action: SnapshotEntity["action"], pack: string | undefined): string {
	if (action.entry_point === "") {
		if (runner.entryPoint === "required")
			throw new SvcError("SVC_RUNNER", `action "${action.ref}" has no entry_point, and its runner needs one`);
		return "";
	}
	if (runner.entryPoint === "forbidden") {
		throw new SvcError("SVC_RUNNER", `entry_point of action "${action.ref}": runner type "${action.runner_type}" takes none`);
	}
	if (pack === undefined) throw new SvcError("SVC_RUNNER", `entry_point of action "${action.ref}": pack "${action.pack}" has no directory`);
	// Checked when it came in; what an older version has let in is not run either.
	return resolveInside(toActionsDirectory(pack), action.entry_point, "entry_point");
}

/** The variables of the reference (A.1.4) that every process gets. */
function toEnvironment(execution: ExecutionEntity, pack: string, runnerParameters: JsonObject, apiUrl: string): Record<string, string> {
	return {
		SVC_ACTION_PACK_NAME: pack,
		SVC_ACTION_EXECUTION_ID: execution.id,
		SVC_ACTION_API_URL: `${apiUrl}/v1`,
		SVC_ACTION_DEBUG: runnerParameters["debug"] === true ? "True" : "False",
	};
}

/** A run that the runner works at. */
export interface Performance {
	readonly execution: ExecutionEntity;
	readonly run: Run;
	readonly prepared: PreparedRun;
}

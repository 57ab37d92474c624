import {
	type ActionSnapshotEntity,
	type AtOnceContext,
	type ExecutionEntity,
	type JsonObject,
	type OutputType,
	type PartialRerunSource,
	type RunContext,
	type Runner,
	type Storage,
	SvcError,
} from "../../contract/index.ts";
import { collectSecrets } from "../../language/parameters/schema-masking.ts";
import { resolveInside, toActionsDirectory } from "../../lib/safe-path.ts";
import { findParameterSecrets, hasSecretParameters } from "../../secrets/parameter-masking.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import { findSecretOutputTypes } from "../../secrets/result-masking.ts";
import { readJournal } from "../executions/read-journal.ts";
import { renderForRun } from "../submission/parameter-rendering.ts";
import type { IssuedCredentials, RunCredentials } from "./run-credentials.ts";
import type { RunDependencies } from "./run-dependencies.ts";

/** Members of the run context that do not depend on the active run. `callRunner` adds the members that act on the run. */
type PreparedContext = AtOnceContext & Pick<RunContext, "entryPoint" | "packDirectory" | "environment" | "logger" | "notify" | "takenUp">;

/** A runner, and the data with which it is called. The data does not change during the run. */
export interface PreparedRun {
	readonly runner: Runner;
	/** Time-out in seconds; undefined: no time-out. */
	readonly timeoutSeconds: number | undefined;
	/** Action and runner type as they were when the execution was created. */
	readonly snapshot: ActionSnapshotEntity;
	/** Secrets of the run at its start. */
	readonly secrets: Redactor;
	/** Encrypted secrets to be stored with the execution (`known_secrets`); null if there are none. */
	readonly encryptedSecrets: string | null;
	/** Output types whose whole output counts as secret. */
	readonly secretOutput: readonly OutputType[];
	readonly context: PreparedContext;
}

/**
 * Finds the runner of an execution and renders its final parameters. If the execution cannot run, throws the error with which it must fail,
 * for example `SVC_RUNNER` if the runner type is disabled or not configured on this node.
 */
export async function prepareRun(execution: ExecutionEntity, snapshot: ActionSnapshotEntity, parts: RunDependencies): Promise<PreparedRun> {
	const { action, runner: runnerType } = snapshot;
	const { sealedSecrets } = parts;
	const runner = parts.runners.get(execution.runner_name);
	if (runner === undefined) throw new SvcError("SVC_RUNNER", `runner type "${execution.runner_name}" is not configured on this node`);
	// An execution that is already running continues even if its runner type has been disabled.
	if (execution.status === "scheduled" && !(await parts.catalog.isRunnerEnabled(execution.runner_name))) {
		throw new SvcError("SVC_RUNNER", `Runner "${execution.runner_name}" has been disabled by the administrator.`);
	}
	const pack = await parts.catalog.packDirectory(action.pack, action.content);
	const known = sealedSecrets.decryptForExecution(execution, snapshot);
	const { runnerParameters, actionParameters, config, secrets } = await renderForRun(parts.templateSources, execution, { snapshot, known });
	const newSecrets = hasSecretParameters(snapshot)
		? [...collectSecrets({ ...runnerParameters, ...actionParameters }, action.parameters, runnerType.runner_parameters), ...secrets]
		: secrets;
	const { actionSchema, secretOutput } = toSnapshotFacts(snapshot);
	const timeout = runnerParameters["timeout"] ?? runnerParameters["svc_timeout"];
	return {
		runner,
		timeoutSeconds: typeof timeout === "number" && timeout > 0 ? timeout : undefined,
		snapshot,
		secrets: known.withValues(newSecrets),
		encryptedSecrets:
			newSecrets.length === 0
				? execution.known_secrets
				: sealedSecrets.addValues(execution.known_secrets, withoutParameterSecrets(newSecrets, execution, snapshot)),
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

/**
 * Adds new credentials to a prepared run: to the environment of its processes, and to the secrets that are masked in output, result and
 * log.
 */
export function withCredentials(prepared: PreparedRun, { environment, secret }: IssuedCredentials): PreparedRun {
	return { ...withEnvironment(prepared, environment), secrets: prepared.secrets.withValues([], secret) };
}

/** Adds the credentials that a run got at its start to the continued run. Its stored secrets contain the token. */
export function withRestoredCredentials(prepared: PreparedRun, runCredentials: Pick<RunCredentials, "toEnvironment">): PreparedRun {
	const { token } = prepared.secrets;
	return token === undefined ? prepared : withEnvironment(prepared, runCredentials.toEnvironment(token));
}

function withEnvironment(prepared: PreparedRun, added: IssuedCredentials["environment"]): PreparedRun {
	// Copy into an empty object: adding members after a spread costs as much as the rest of the preparation of the run.
	const environment = Object.assign({}, prepared.context.environment, added);
	return { ...prepared, context: { ...prepared.context, environment } };
}

/** Data derived from a snapshot, shared by all of its runs. */
interface SnapshotFacts {
	readonly actionSchema: ActionSnapshotEntity["action"]["parameters"];
	readonly secretOutput: readonly OutputType[];
}

const factsBySnapshot = new WeakMap<ActionSnapshotEntity, SnapshotFacts>();

function toSnapshotFacts(snapshot: ActionSnapshotEntity): SnapshotFacts {
	let facts = factsBySnapshot.get(snapshot);
	if (facts === undefined) {
		const { parameters } = snapshot.action;
		const isAction = ([name]: readonly [string, unknown]) => !Object.hasOwn(snapshot.runner.runner_parameters, name);
		const actionSchema = Object.fromEntries(Object.entries(parameters).filter(isAction));
		facts = { actionSchema, secretOutput: findSecretOutputTypes(snapshot) };
		factsBySnapshot.set(snapshot, facts);
	}
	return facts;
}

/** Returns the secrets that are not in the stored parameters. The others can be found in the parameters again. */
function withoutParameterSecrets(
	secrets: readonly string[],
	{ parameters }: ExecutionEntity,
	snapshot: ActionSnapshotEntity,
): readonly string[] {
	const parameterSecrets = findParameterSecrets(parameters, snapshot);
	return secrets.filter((value) => !parameterSecrets.includes(value));
}

/**
 * Returns the earlier execution that this execution partially re-runs; undefined if there is none. `takes_up` decides, because only the
 * service writes it; a client may have written the context.
 */
async function readTakenUp(storage: Storage, { takes_up, context }: ExecutionEntity): Promise<PartialRerunSource | undefined> {
	if (takes_up === null) return undefined;
	const { tasks, reset } = context["re-run"] as { readonly tasks: readonly string[]; readonly reset: readonly string[] };
	return { execution_id: takes_up, tasks, reset, entries: await readJournal(storage, takes_up) };
}

function toEntryPoint(runner: Runner, action: ActionSnapshotEntity["action"], pack: string | undefined): string {
	if (action.entry_point === "") {
		if (runner.entryPoint === "required")
			throw new SvcError("SVC_RUNNER", `action "${action.ref}" has no entry_point, but its runner needs one`);
		return "";
	}
	if (runner.entryPoint === "forbidden") {
		throw new SvcError("SVC_RUNNER", `entry_point of action "${action.ref}": runner type "${action.runner_type}" uses no file`);
	}
	if (pack === undefined) throw new SvcError("SVC_RUNNER", `entry_point of action "${action.ref}": pack "${action.pack}" has no directory`);
	// Registration checks the entry point too, but an earlier version may have registered the action without a check.
	return resolveInside(toActionsDirectory(pack), action.entry_point, "entry_point");
}

/** Returns the environment variables that every process of a run gets. */
function toEnvironment(execution: ExecutionEntity, pack: string, runnerParameters: JsonObject, apiUrl: string): Record<string, string> {
	return {
		SVC_ACTION_PACK_NAME: pack,
		SVC_ACTION_EXECUTION_ID: execution.id,
		SVC_ACTION_API_URL: `${apiUrl}/v1`,
		SVC_ACTION_DEBUG: runnerParameters["debug"] === true ? "True" : "False",
	};
}

import {
	type JsonObject,
	type RunContext,
	type Runner,
	type RunResult,
	type Storage,
	SvcError,
	toErrorMessage,
} from "../../../core/contract/index.ts";
import {
	type Access,
	type Authority,
	type PermissionType,
	type Principal,
	type Resource,
	type Uses,
	type WriteInterceptor,
	withScopes,
} from "../../../core/feature.ts";
import { JobReport } from "./job-report.ts";
import { type JobName, packJob } from "./packs-pack.ts";

/** Request to perform a job: its parameters, the user who requested it, and the report for its output. */
export interface JobRequest {
	readonly parameters: JsonObject;
	readonly principal: Principal;
	readonly execution_id: string;
	readonly report: JobReport;
}

/** Implementation of an action of the pack `packs`. */
export interface Job {
	/** Permission that is required in addition to the right to run the action. */
	readonly permission: PermissionType;
	/** Returns the resource for the permission check. Absent if the job does not concern a single pack. */
	resource?(parameters: JsonObject): Resource;
	/** Performs the job. Rejects with the reason if it fails. */
	perform(request: JobRequest): Promise<void>;
}

export type Jobs = Readonly<Record<JobName, Job>>;

export interface JobRunnerDependencies extends Uses<"storage"> {
	readonly now: () => number;
	readonly authority: Pick<Authority, "principalOf">;
	readonly access: Pick<Access, "assert">;
	readonly jobs: Jobs;
	/** Returns the write interceptor that records changes of packs. Returns undefined if no feature provides one. */
	witness(): Pick<WriteInterceptor, "duringRun"> | undefined;
}

/** Runs the actions of the pack `packs`. */
export function createJobRunner(parts: JobRunnerDependencies): Runner {
	return {
		description: "Runs the actions of the pack packs: installs and manages packs.",
		parameters: { timeout: { type: "number", default: 600, minimum: 1, description: "Seconds after which the action is ended." } },
		capabilities: { streaming: true, cancellation: true },
		entryPoint: "forbidden",
		run: (context) => runJob(parts, context),
	};
}

async function runJob({ storage, now, authority, access, jobs, witness }: JobRunnerDependencies, context: RunContext): Promise<RunResult> {
	const [pack, name = ""] = context.action_ref.split(".", 2);
	// Refuse actions of other packs, which could call the jobs with parameters of their own.
	if (pack !== "packs" || context.pack !== "packs" || !Object.hasOwn(jobs, name))
		throw new SvcError("SVC_RUNNER", `runner type "${packJob}" runs only actions of the pack "packs", not "${context.action_ref}"`);
	const job = jobs[name as JobName];
	const parameters = context.actionParameters;
	const principal = await whoAsks(storage, authority, context.execution_id);
	// The right to run the action is not enough, because other users then run the installed content.
	access.assert(principal, job.permission, job.resource?.(parameters));
	const report = new JobReport({ now, signal: context.signal, emit: context.emit });
	const { execution_id, action_ref } = context;
	const perform = () => job.perform({ parameters, principal, execution_id, report });
	try {
		// Record changes of packs only, not of possibly thousands of actions: the record of a pack contains the hash of all its files.
		await (witness()?.duringRun?.({ user: principal.username, execution_id, action_ref, kinds: ["pack"] }, perform) ?? perform());
		return { succeeded: true, result: report.toResult() };
	} catch (error) {
		return { succeeded: false, result: { ...report.toResult(), error: toErrorMessage(error) } };
	}
}

/** Returns the author of the execution as a principal, limited to the scopes of the API key that requested the execution. */
async function whoAsks(storage: Storage, authority: JobRunnerDependencies["authority"], id: string): Promise<Principal> {
	const [execution] = await storage.find("execution", { where: { id }, fields: ["user", "author", "scopes"], limit: 1 });
	if (execution === undefined) throw new SvcError("SVC_RUNNER", `execution "${id}" no longer exists`);
	const { user, author, scopes } = execution;
	const principal = { ...(await authority.principalOf(author ?? user)), username: user };
	return withScopes(principal, scopes);
}

import {
	type JsonObject,
	type RunContext,
	type Runner,
	type RunResult,
	type Storage,
	SvcError,
	toErrorMessage,
} from "../../../contract/index.ts";
import type { Uses } from "../../../kernel/basics/engine-parts.ts";
import type { PermissionType } from "../../../kernel/basics/permission-types.ts";
import { type Authority, type Principal, withScopes } from "../../../kernel/basics/principal.ts";

import type { Resource } from "../../../kernel/basics/refs.ts";
import type { WriteInterceptor } from "../../../kernel/plugins/audited-storage.ts";
import type { Access } from "../../access/access-api.ts";
import { JobReport } from "./job-report.ts";
import { type JobName, packJob } from "./packs-pack.ts";

/** Who asked for a job, and what they are told of it. */
export interface JobRequest {
	readonly parameters: JsonObject;
	readonly principal: Principal;
	readonly execution_id: string;
	readonly report: JobReport;
}

/** What an action of the pack `packs` does. */
export interface Job {
	/** What it takes besides the right to run the action. */
	readonly permission: PermissionType;
	/** What the permission is asked on; absent: it concerns no single pack. */
	resource?(parameters: JsonObject): Resource;
	/** Rejects with why it could not be done. */
	perform(request: JobRequest): Promise<void>;
}

export type Jobs = Readonly<Record<JobName, Job>>;

export interface JobRunnerOptions extends Uses<"storage"> {
	readonly now: () => number;
	readonly authority: Pick<Authority, "principalOf">;
	readonly access: Pick<Access, "assert">;
	readonly jobs: Jobs;
	/** Undefined: nobody keeps a record of what packs become. */
	witness(): Pick<WriteInterceptor, "duringRun"> | undefined;
}

/** Runs the actions of the pack `packs`. */
export function createJobRunner(parts: JobRunnerOptions): Runner {
	return {
		description: "Does what the pack packs offers: installs packs, and looks after them.",
		parameters: { timeout: { type: "number", default: 600, minimum: 1, description: "Seconds after which it is ended." } },
		capabilities: { streaming: true, cancellation: true },
		entryPoint: "forbidden",
		run: (context) => runJob(parts, context),
	};
}

async function runJob({ storage, now, authority, access, jobs, witness }: JobRunnerOptions, context: RunContext): Promise<RunResult> {
	const [pack, name = ""] = context.action_ref.split(".", 2);
	// An action of another pack could ask for it with parameters of its own.
	if (pack !== "packs" || context.pack !== "packs" || !Object.hasOwn(jobs, name))
		throw new SvcError("SVC_RUNNER", `runner type "${packJob}" runs the actions of the pack "packs" only, not "${context.action_ref}"`);
	const job = jobs[name as JobName];
	const parameters = context.actionParameters;
	const principal = await whoAsks(storage, authority, context.execution_id);
	// Whoever may run the action may not for that install what everybody then runs.
	access.assert(principal, job.permission, job.resource?.(parameters));
	const report = new JobReport({ now, signal: context.signal, emit: context.emit });
	const { execution_id, action_ref } = context;
	const perform = () => job.perform({ parameters, principal, execution_id, report });
	try {
		// Of a pack with thousands of actions its record says enough: the hash is that of all its files.
		await (witness()?.duringRun?.({ user: principal.username, execution_id, action_ref, kinds: ["pack"] }, perform) ?? perform());
		return { succeeded: true, result: report.toResult() };
	} catch (error) {
		return { succeeded: false, result: { ...report.toResult(), error: toErrorMessage(error) } };
	}
}

/** Whose permissions count, narrowed to the scopes of the key that the execution was asked for with. */
async function whoAsks(storage: Storage, authority: JobRunnerOptions["authority"], id: string): Promise<Principal> {
	const [execution] = await storage.find("execution", { where: { id }, fields: ["user", "author", "scopes"], limit: 1 });
	if (execution === undefined) throw new SvcError("SVC_RUNNER", `execution "${id}" is not there any more`);
	const { user, author, scopes } = execution;
	const principal = { ...(await authority.principalOf(author ?? user)), username: user };
	return withScopes(principal, scopes);
}

import { isAbsolute } from "node:path";
import { SvcError } from "../../core/contract/index.ts";

export interface SlurmOptions {
	/**
	 * Absolute path of a directory that this machine and all nodes of the cluster mount at the same path. The service's user must have
	 * write access. Scripts, variables and output of each run are stored in a subdirectory that only this user can read.
	 */
	readonly directory: string;
	/**
	 * Prefix of the comment of each job, which separates several services on one cluster. Letters, digits, `.`, `_` and `-`. Default `svc`.
	 */
	readonly installation?: string;
	/** Defaults for runs whose action sets no value. */
	readonly defaults?: { readonly partition?: string; readonly account?: string; readonly qos?: string; readonly time_limit?: number };
	/** Partitions that actions may name. Default: those that Slurm permits for the service's user. */
	readonly partitions?: readonly string[];
	/** Accounts that actions may name. Default: those that Slurm permits for the service's user. */
	readonly accounts?: readonly string[];
	/** Maximum number of tasks of an array. Default 1000. */
	readonly max_array?: number;
	/** Directory of Slurm's commands. Default: found through `PATH`. */
	readonly bin_directory?: string;
	/** Path of slurm.conf (`SLURM_CONF`). Default: the path that Slurm's commands use. */
	readonly slurm_conf?: string;
	/** Seconds between TERM and KILL when a run is ended. Default 5. */
	readonly kill_grace?: number;
}

/** Validates the options at run time, because callers in plain JavaScript have no type check. Throws `SVC_CONFIG`. */
export function assertOptions({ directory, installation = "svc", max_array = 1, kill_grace = 0 }: SlurmOptions): void {
	if (typeof directory !== "string" || !isAbsolute(directory) || /[%\\\n\r\0]/.test(directory)) {
		throw refuse(
			"directory",
			"must be an absolute path without %, backslash and line breaks, on a file system shared by the whole cluster",
		);
	}
	if (typeof installation !== "string" || !/^[A-Za-z0-9._-]{1,60}$/.test(installation)) {
		throw refuse("installation", "must be 1 to 60 letters, digits, '.', '_' or '-'");
	}
	if (!Number.isInteger(max_array) || max_array < 1 || max_array > 100_000)
		throw refuse("max_array", "must be a whole number from 1 to 100000");
	if (typeof kill_grace !== "number" || !(kill_grace >= 0 && kill_grace <= 3_600))
		throw refuse("kill_grace", "must be a number of seconds from 0 to 3600");
}

function refuse(name: string, what: string): SvcError {
	return new SvcError("SVC_CONFIG", `${name} of runner "slurm" ${what}`);
}

import { setTimeout as pause } from "node:timers/promises";
import type { SFTPWrapper } from "ssh2";
import { isSvcError, type JsonObject, type Logger, RunAborted, toErrorMessage } from "../../core/contract/index.ts";
import { findSudoRefusal } from "../_shell/index.ts";
import { ConnectionLost } from "./connect-error.ts";
import type { Connection } from "./connection.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { HostOutput, type OutputSink } from "./output-sinks.ts";
import { type RemoteEnd, RemoteProcess } from "./remote-process.ts";
import {
	createHousekeeping,
	createMarkedShell,
	createRemoteScript,
	createSweep,
	quote,
	type RemoteCommand,
	type Sudo,
	shellCommand,
} from "./remote-script.ts";
import { type StagedFiles, upload } from "./staging.ts";
import type { Target } from "./target.ts";

/** Command to run on every host of an execution, and what all hosts share. */
export interface Work {
	readonly pool: ConnectionPool;
	readonly signal: AbortSignal;
	readonly logger: Logger;
	readonly sink: OutputSink;
	/** Maximum bytes of each channel in the result. */
	readonly outputLimit: number;
	readonly environment: Readonly<Record<string, string>>;
	/** An assignment of an environment variable that is unique to this run. */
	readonly marker: string;
	readonly cwd: string;
	readonly sudo: Sudo | undefined;
	/** Timeout in seconds, for messages. */
	readonly timeout: number;
	/** A command; or files that are copied to the host for the duration of the run, with the arguments of the script. */
	readonly command: RemoteCommand | { readonly staged: StagedFiles; readonly args: readonly string[] };
}

/** One host's part of the execution. */
export interface HostPart {
	readonly key: string;
	readonly target: Target;
	/** Directory for files on the host; it does not exist yet. */
	readonly directory: string;
}

export interface HostOutcome {
	readonly key: string;
	readonly succeeded: boolean;
	readonly result: JsonObject;
	/** Reason why the host could not be reached. Undefined if it was reached, or if the run was aborted. */
	readonly unreachable?: string;
}

/** Runs the work on one host. Rejects only if the service refuses the output; every other failure becomes the outcome. */
export async function runOnHost(work: Work, part: HostPart): Promise<HostOutcome> {
	const output = new HostOutput(work.outputLimit);
	try {
		work.signal.throwIfAborted();
		const end =
			"staged" in work.command ? await runStaged(work, part, work.command, output) : await runCommand(work, part, work.command, output);
		await work.sink.finish(part.key);
		return toOutcome(work, part, output, end);
	} catch (error) {
		if (error instanceof OutputRefused) throw error.cause;
		return toFailure(work, part, output, error);
	}
}

class OutputRefused extends Error {}

class UploadFailed extends Error {}

async function runCommand(work: Work, { key, target }: HostPart, command: RemoteCommand, output: HostOutput): Promise<RemoteEnd> {
	const lease = await work.pool.acquire(target, work.signal, (connection) => connection.exec(createMarkedShell(work.marker)));
	try {
		const { connection, opened: channel } = lease;
		return await follow(work, { key, connection, channel, command, cwd: work.cwd }, output);
	} finally {
		lease.release();
	}
}

async function runStaged(
	work: Work,
	{ key, target, directory }: HostPart,
	{ staged, args }: { readonly staged: StagedFiles; readonly args: readonly string[] },
	output: HostOutput,
): Promise<RemoteEnd> {
	const lease = await work.pool.acquire(target, work.signal, (connection) => connection.sftp());
	const { connection, opened: sftp } = lease;
	try {
		try {
			await upload(sftp, directory, staged, work.signal);
		} catch (error) {
			if (work.signal.aborted) throw error;
			throw new UploadFailed(`the script could not be copied to ${directory}: ${toErrorMessage(error)}`, { cause: error });
		} finally {
			await endSftp(sftp, connection);
		}
		const channel = await connection.exec(createMarkedShell(work.marker));
		const command = { words: [`${directory}/${staged.script}`, ...args] };
		return await follow(work, { key, connection, channel, command, cwd: work.cwd }, output);
	} finally {
		await removeFiles(work, { target, directory }, connection);
		lease.release();
	}
}

/** Waits until the host has closed the channel, at most 1 s: until then the channel counts towards the host's limit. */
async function endSftp(sftp: SFTPWrapper, connection: Connection): Promise<void> {
	if (connection.closed) return;
	const closed = new Promise<void>((resolve) => sftp.once("close", resolve));
	sftp.end();
	await Promise.race([closed, pause(1_000, undefined, { ref: false })]);
}

async function follow(
	{ signal, sink, environment, sudo, marker, logger }: Work,
	started: {
		readonly key: string;
		readonly connection: Connection;
		readonly channel: Awaited<ReturnType<Connection["exec"]>>;
		readonly command: RemoteCommand;
		readonly cwd: string;
	},
	output: HostOutput,
): Promise<RemoteEnd> {
	const { key, connection, channel, command, cwd } = started;
	const remote = new RemoteProcess({
		channel,
		script: createRemoteScript({ command, environment, cwd, sudo }),
		signal,
		async onOutput(type, text) {
			output.add(type, text);
			await sink.write(key, type, text);
		},
		sweep: (kind) =>
			runHousekeeping(connection, createSweep(marker, kind), sudo).catch((error: unknown) => {
				logger.debug("searching for remote processes failed", { host: key, error });
			}),
	});
	return remote.ended.catch((error: unknown) => {
		throw new OutputRefused("output refused", { cause: error });
	});
}

/** Removes the files from the host. If the connection is lost, opens a new one. */
async function removeFiles(
	{ pool, sudo, logger }: Work,
	part: Pick<HostPart, "target" | "directory">,
	connection: Connection,
): Promise<void> {
	const script = `rm -rf -- ${quote(part.directory)}`;
	try {
		if (!connection.closed) return await runHousekeeping(connection, script, sudo);
		const lease = await pool.acquire(part.target, AbortSignal.timeout(5_000), async () => ({ end() {} }));
		await runHousekeeping(lease.connection, script, sudo).finally(lease.release);
	} catch (error) {
		logger.warn("files on a remote host could not be removed", { host: part.target.name, directory: part.directory, error });
	}
}

function toOutcome(work: Work, { key }: HostPart, output: HostOutput, { code, signal }: RemoteEnd): HostOutcome {
	const refused = work.sudo === undefined ? undefined : findSudoRefusal(output.captured("stderr").text);
	const aborted = describeAbort(work);
	const unclear = signal === undefined ? "the connection was lost before the command ended" : `the command was ended by signal ${signal}`;
	const error = aborted?.error ?? refused ?? (code === undefined ? unclear : undefined);
	const number = aborted?.code ?? (refused === undefined ? (code ?? 255) : -1);
	const succeeded = number === 0;
	return { key, succeeded, result: toResult(output, { succeeded, number, error, timedOut: aborted?.timedOut }) };
}

function toFailure(work: Work, { key }: HostPart, output: HostOutput, error: unknown): HostOutcome {
	const aborted = describeAbort(work);
	const message = aborted?.error ?? toErrorMessage(error);
	const result = toResult(output, { succeeded: false, number: aborted?.code ?? 255, error: message, timedOut: aborted?.timedOut });
	const isUnreachable = aborted === undefined && (isSvcError(error) || error instanceof ConnectionLost);
	return { key, succeeded: false, result, ...(isUnreachable ? { unreachable: message } : {}) };
}

function describeAbort({
	signal,
	timeout,
}: Work): { readonly code: number; readonly error: string; readonly timedOut: boolean } | undefined {
	if (!signal.aborted) return undefined;
	const reason: unknown = signal.reason;
	const timedOut = reason instanceof RunAborted && reason.kind === "timeout";
	return timedOut
		? { code: -9, error: `Action failed to complete in ${timeout} seconds`, timedOut }
		: { code: 255, error: `the command was ended: ${reason instanceof RunAborted ? reason.kind : "abort"}`, timedOut };
}

function toResult(
	output: HostOutput,
	end: { readonly succeeded: boolean; readonly number: number; readonly error: string | undefined; readonly timedOut: boolean | undefined },
): JsonObject {
	return {
		failed: !end.succeeded,
		succeeded: end.succeeded,
		return_code: end.number,
		...output.toResult(),
		...(end.error === undefined ? {} : { error: end.error, timeout: end.timedOut ?? false }),
	};
}

/** Milliseconds after which a housekeeping command fails. */
const housekeepingTimeoutMs = 10_000;
/** Maximum number of housekeeping channels on one connection, in addition to those of runs; hosts allow a few more than runs use. */
const atOnce = 2;

const busy = new WeakMap<Connection, { running: number; readonly waiting: (() => void)[] }>();

/** Runs a housekeeping command on a host: a search for processes, or the removal of files. At most two run at once on one connection. */
async function runHousekeeping(connection: Connection, text: string, sudo: Sudo | undefined): Promise<void> {
	const state = busy.get(connection) ?? { running: 0, waiting: [] };
	busy.set(connection, state);
	if (state.running >= atOnce) await new Promise<void>((resolve) => state.waiting.push(resolve));
	state.running++;
	try {
		await run(connection, createHousekeeping(text, sudo));
	} finally {
		state.running--;
		state.waiting.shift()?.();
	}
}

async function run(connection: Connection, script: string): Promise<void> {
	const channel = await connection.exec(shellCommand);
	await new Promise<void>((resolve, reject) => {
		const timer = setTimeout(() => {
			channel.destroy();
			reject(new Error(`the host did not finish within ${housekeepingTimeoutMs} ms`));
		}, housekeepingTimeoutMs);
		let code: number | null | undefined;
		channel.on("exit", (given: number | null) => (code = given));
		channel.on("error", () => {});
		channel.on("close", () => {
			clearTimeout(timer);
			if (code === 0) resolve();
			else reject(new Error(code == null ? "the connection was lost" : `exit code ${code}`));
		});
		channel.resume();
		channel.stderr.resume();
		channel.end(script);
	});
}

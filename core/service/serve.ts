import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { setFlagsFromString } from "node:v8";
import { box } from "consola/utils";
import { type OutputCapabilities, paintFor } from "../cli/output-capabilities.ts";
import type { NodeRole } from "../contract/index.ts";
import type { FirstUser } from "../features/access/access-exports.ts";
import { loadConfig } from "./load-config.ts";
import { type Addresses, createService, type Service } from "./service.ts";
import { SystemdNotifier } from "./systemd-notifier.ts";
import { packageFile, version } from "./version.ts";

export interface ServeContext {
	/** Path of the configuration file. */
	readonly config: string;
	/** Roles that this node runs instead of those in `node.only`. Default: the roles of the configuration. */
	readonly only?: readonly string[] | undefined;
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly print: (line: string) => void;
	/**
	 * Capabilities of the output that `print` writes to. The lines have no frame and no colours if it is not a terminal. Default: not a
	 * terminal.
	 */
	readonly screen?: OutputCapabilities;
	/** True if the web page must be opened in the browser once the service runs; without a web page, the API documentation. */
	readonly open?: boolean;
}

/**
 * Implements `svc serve`: runs the service of a configuration file until INT or TERM. The first signal stops the service in order. A second
 * signal ends the runs without waiting, and the process within two seconds. USR2 starts a garbage collection of expired records. Returns
 * exit code 0 after an orderly stop. A service manager that started the process (`NOTIFY_SOCKET`) is notified when the service is ready,
 * alive and stopping.
 */
export async function serve({ config, only, env, print, screen, open = false }: ServeContext): Promise<number> {
	// By default, V8 lets a small heap multiply before it collects the garbage of streamed output.
	setFlagsFromString("--heap-growing-percent=50");
	const file = resolve(config);
	const loaded = await loadConfig(file, findCache(file, env));
	printOtherCopy(file, print);
	const service = createService(loaded, {
		env,
		directory: dirname(file),
		// An unknown role is rejected later, with the list of the valid roles.
		...(only !== undefined && { only: only as readonly NodeRole[] }),
		...(env["SVC_ADMIN_PASSWORD"] !== undefined && { adminPassword: env["SVC_ADMIN_PASSWORD"] }),
		onFirstUser: (user) => printFirstUser(user, screen, print),
	});
	const manager = await SystemdNotifier.find(env);
	const stop = stopOnSignal(service, () => manager?.stopping());
	const forgetCollection = collectOnSignal(service);
	try {
		const started = service.start().catch((error: unknown) => {
			// After a signal to stop, the start fails because of the stop, so its error is not reported.
			if (!stop.isAsked()) throw error;
			return { addresses: {} };
		});
		const { addresses }: { readonly addresses: Addresses } = await Promise.race([started, stop.exitCode.then(() => ({ addresses: {} }))]);
		if (!stop.isAsked()) {
			printAddresses(addresses, screen, print);
			manager?.ready();
		}
		const page = addresses.page ?? toDocsAddress(addresses);
		if (open && page !== undefined) openInBrowser(page, env, print);
		const exitCode = await stop.exitCode;
		print("Stopped.");
		return exitCode;
	} finally {
		manager?.close();
		stop.forget();
		forgetCollection();
	}
}

function printFirstUser(user: FirstUser, screen: OutputCapabilities | undefined, print: ServeContext["print"]): void {
	const lines = toFirstUserLines(user);
	if (screen?.isTerminal) print(toBox("First start", lines, "yellow", screen));
	else for (const line of lines) print(line);
}

/** Prints the addresses, in a terminal with that of the API documentation. */
function printAddresses(addresses: Addresses, screen: OutputCapabilities | undefined, print: ServeContext["print"]): void {
	const toLine = ([name, address]: readonly [string, string]) => `${name.padEnd(16)}${address}`;
	const lines = toNamedAddresses(addresses).map(toLine);
	const docs = toDocsAddress(addresses);
	const docsLines = docs === undefined ? [] : [toLine(["API reference", docs])];
	if (screen?.isTerminal) print(toBox(`svc ${version}`, [...lines, ...docsLines, "", "Press Ctrl-C to stop."], "green", screen));
	else for (const line of lines) print(line);
}

/** Starts a garbage collection of expired records on USR2. The log contains the result. */
function collectOnSignal({ engine }: Service): () => void {
	const listener = () => void engine.retention.collect().catch(() => undefined);
	process.on("SIGUSR2", listener);
	return () => void process.off("SIGUSR2", listener);
}

/**
 * Returns the cache directory for the compiled configuration. It is in `SVC_DATA_DIR`, or in `data` next to the file, because `data_dir` is
 * not known before the file is read. Returns no directory if the data directory does not exist, or if another user can write to it: the
 * service runs the code in the cache.
 */
export function findCache(file: string, env: ServeContext["env"]): { readonly cacheDirectory?: string } {
	const directory = env["SVC_DATA_DIR"] ? resolve(env["SVC_DATA_DIR"]) : join(dirname(file), "data");
	const cacheDirectory = join(directory, "cache");
	try {
		if (!isWritableByOwnUserOnly(directory)) return {};
		mkdirSync(cacheDirectory, { mode: 0o700, recursive: true });
		return isWritableByOwnUserOnly(cacheDirectory) ? { cacheDirectory } : {};
	} catch {
		return {};
	}
}

/** Returns true if only the user of the process, or root, can create files in a directory. */
function isWritableByOwnUserOnly(directory: string): boolean {
	const { uid, mode } = statSync(directory);
	return (uid === process.getuid?.() || uid === 0) && (mode & 0o022) === 0;
}

/** Milliseconds for which a second signal counts as a repetition of the first: npm forwards a signal that the terminal has already sent. */
const repeatTime = 500;
/** Milliseconds between a second signal and the end of the process, even if the stop is not finished. */
const forcedTime = 1_800;

interface Stop {
	/** Returns true once a signal was received. */
	isAsked(): boolean;
	/** Resolves when the service has stopped. */
	readonly exitCode: Promise<number>;
	forget(): void;
}

function stopOnSignal(service: Service, onStop: () => void): Stop {
	let first: number | undefined;
	let forget = () => {};
	const exitCode = new Promise<number>((done, fail) => {
		let isForced = false;
		const listener = () => {
			if (first === undefined) {
				first = performance.now();
				onStop();
				service.stop().then(() => done(isForced ? 1 : 0), fail);
			} else if (performance.now() - first > repeatTime && !isForced) {
				isForced = true;
				// Runs that are not stored by that time are recovered at the next start, or by other nodes.
				setTimeout(() => process.exit(1), forcedTime).unref();
				service.abort().catch(() => undefined);
			}
		};
		process.on("SIGINT", listener).on("SIGTERM", listener);
		forget = () => void process.off("SIGINT", listener).off("SIGTERM", listener);
	});
	return { isAsked: () => first !== undefined, exitCode, forget: () => forget() };
}

/**
 * Prints a hint if the configuration file imports a copy of this package other than the running one. This happens if the command is
 * installed globally and the project has its own copy. Plugins are then loaded from the other copy, and the classes of the two copies
 * differ.
 */
function printOtherCopy(configFile: string, print: (line: string) => void): void {
	const file = resolvePackage(configFile);
	if (file === undefined || file === packageFile) return;
	const other = JSON.parse(readFileSync(file, "utf8")) as { readonly version: string };
	print(`The configuration imports svc ${other.version} from ${dirname(file)}, but this command is svc ${version} from another location.`);
	print(`Hint: run "npx svc" in the directory of the configuration, so that both use the same copy.`);
}

/** Returns the package.json of the copy that a file would import, or undefined if its project has none. */
function resolvePackage(configFile: string): string | undefined {
	try {
		return realpathSync(createRequire(configFile).resolve("svc-automation/package.json"));
	} catch {
		return undefined;
	}
}

/** Returns the name and address of each part of the service that listens, for display. */
function toNamedAddresses({ page, api, auth, stream, health }: Addresses): readonly (readonly [name: string, address: string])[] {
	const lines: readonly (readonly [string, string | undefined])[] = [
		["Web page", page],
		["API", api && `${api}/v1`],
		["Authentication", auth && `${auth}/auth/v1/tokens`],
		["Stream", stream && `${stream}/v1/stream`],
		["Health", health && `${health}/health/ready`],
	];
	return lines.flatMap(([name, address]) => (address === undefined || address === "" ? [] : [[name, address]]));
}

/** Returns the lines about a user that was created at the start. */
function toFirstUserLines({ username, password, warning }: FirstUser): readonly string[] {
	return [
		`The first start created the user "${username}".`,
		password === undefined ? "Its password is the value of SVC_ADMIN_PASSWORD." : `Its password, which is shown only once: ${password}`,
		...(warning === undefined ? [] : [`Warning: ${warning}`]),
	];
}

/** Returns the address of the API documentation, which needs no authentication. Returns undefined if the API does not listen. */
function toDocsAddress({ api }: Addresses): string | undefined {
	return api && `${api}/v1/docs`;
}

const colours = new RegExp(`${String.fromCharCode(0x1b)}\\[[\\d;]*m`, "g");

/** Returns the lines in a frame, or without one if the frame would be wider than the terminal. */
function toBox(title: string, lines: readonly string[], colour: "green" | "yellow", screen: OutputCapabilities): string {
	const paint = paintFor(screen);
	const style = { borderStyle: "rounded", padding: 2, marginLeft: 0, marginTop: 0, marginBottom: 0 };
	// Colours are applied here, because consola checks the process for colour support, and not the output that is written to.
	const framed = box(lines.join("\n"), { title: ` ${title} `, style })
		.replaceAll(colours, "")
		.trimEnd();
	const fits = framed.split("\n").every((line) => line.length <= screen.width);
	const text = fits ? framed : [title, ...lines].join("\n");
	const painted = text.replaceAll(/[\u256d\u256e\u2570\u256f\u2502\u2500]+/g, (frame) => paint(colour, frame));
	return painted.replaceAll(/https?:\/\/\S+/g, (address) => paint("cyan", address));
}

/**
 * Opens an address in the browser, without waiting. Does not use the package listhen, which prefers an `xdg-open` in the directory for
 * temporary files. Any user of the machine could put a program there.
 */
function openInBrowser(address: string, env: Readonly<Record<string, string | undefined>>, print: (line: string) => void): void {
	const child = spawn("xdg-open", [address], { env: { ...env }, stdio: "ignore", detached: true });
	child.once("error", () => print(`xdg-open is not installed, so the browser cannot open ${address}`));
	child.unref();
}

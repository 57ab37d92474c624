import { spawn } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { setFlagsFromString } from "node:v8";
import { box } from "consola/utils";
import { paintFor, type Screen } from "../cli/screen.ts";
import type { NodeRole } from "../contract/index.ts";
import type { FirstUser } from "../features/access/access-api.ts";
import { loadConfig } from "./load-config.ts";
import { type Addresses, createService, type Service } from "./service.ts";
import { SystemManager } from "./system-manager.ts";
import { packageFile, version } from "./version.ts";

export interface ServeContext {
	/** Path of the configuration file. */
	readonly config: string;
	/** Parts of the service to run, in the place of `node.only`; all that the configuration says when undefined. */
	readonly only?: readonly string[] | undefined;
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly print: (line: string) => void;
	/** What the lines are printed on; they stay plain where nobody looks at it. */
	readonly screen?: Screen;
	/** Show the page about the API in the browser, once it is there. */
	readonly open?: boolean;
}

/**
 * `svc serve`: run the service of a configuration file until INT or TERM. The first signal stops it in order; a second one ends
 * what runs without waiting for it, and the process at the latest two seconds after it. USR2 asks for a garbage collection. The
 * exit code is 0 after an orderly stop. A manager that has started it (`NOTIFY_SOCKET`) is told when it is ready, lives and stops.
 */
export async function serve({ config, only, env, print, screen, open = false }: ServeContext): Promise<number> {
	// V8 would let a heap of this size grow to a multiple before it collects what output in passing has left.
	setFlagsFromString("--heap-growing-percent=50");
	const speaker = screen?.isTerminal ? toTerminalSpeaker(screen, print) : toPlainSpeaker(print);
	const file = resolve(config);
	const loaded = await loadConfig(file, findCache(file, env));
	printOtherCopy(file, print);
	const service = createService(loaded, {
		env,
		directory: dirname(file),
		// What is no role is refused with the list of those there are.
		...(only !== undefined && { only: only as readonly NodeRole[] }),
		...(env["SVC_ADMIN_PASSWORD"] !== undefined && { adminPassword: env["SVC_ADMIN_PASSWORD"] }),
		onFirstUser: speaker.firstUser,
	});
	const manager = await SystemManager.find(env);
	const stop = stopOnSignal(service, () => manager?.stopping());
	const forgetCollection = collectOnSignal(service);
	try {
		const started = service.start().catch((error: unknown) => {
			// It waited for something, and was told to stop.
			if (!stop.isAsked()) throw error;
			return { addresses: {} };
		});
		const { addresses } = await Promise.race([started, stop.exitCode.then(() => ({ addresses: {} }))]);
		if (!stop.isAsked()) {
			speaker.addresses(addresses);
			manager?.ready();
		}
		const docs = toDocsAddress(addresses);
		if (open && docs !== undefined) openInBrowser(docs, env, print);
		return await stop.exitCode;
	} finally {
		manager?.close();
		stop.forget();
		forgetCollection();
	}
}

interface Speaker {
	readonly firstUser: (user: FirstUser) => void;
	readonly addresses: (addresses: Addresses) => void;
}

function toPlainSpeaker(print: ServeContext["print"]): Speaker {
	return {
		firstUser: (user) => toFirstUserLines(user).forEach((line) => void print(line)),
		addresses: (addresses) => toAddressLines(addresses).forEach(([name, address]) => void print(`${name.padEnd(16)}${address}`)),
	};
}

function toTerminalSpeaker(screen: Screen, print: ServeContext["print"]): Speaker {
	return {
		firstUser: (user) => print(toFirstUserBox(user, screen).trimEnd()),
		addresses: (addresses) => print(toBanner(version, addresses, screen).trimEnd()),
	};
}

/** USR2 asks for a garbage collection now. What comes of it is in the log. */
function collectOnSignal({ engine }: Service): () => void {
	const listener = () => void engine.retention.collect().catch(() => undefined);
	process.on("SIGUSR2", listener);
	return () => void process.off("SIGUSR2", listener);
}

/** In the data directory, which only the service may read. Where it is not yet, or the file names another, nothing is kept. */
function findCache(file: string, env: ServeContext["env"]): { readonly cacheDirectory?: string } {
	const directory = env["SVC_DATA_DIR"] ? resolve(env["SVC_DATA_DIR"]) : join(dirname(file), "data");
	return existsSync(directory) ? { cacheDirectory: join(directory, "cache") } : {};
}

/** npm passes on the signal that the terminal has sent already: within these milliseconds it is the same request. */
const repeatTime = 500;
/** Milliseconds after a second signal at which the process ends, whatever it has not done by then. */
const forcedTime = 1_800;

interface Stop {
	/** Whether a signal has come. */
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
				// What has not been stored by then is found again at the next start, or by other nodes.
				setTimeout(() => process.exit(1), forcedTime).unref();
				service.abort().catch(() => undefined);
			}
		};
		process.on("SIGINT", listener).on("SIGTERM", listener);
		forget = () => void process.off("SIGINT", listener).off("SIGTERM", listener);
	});
	return { isAsked: () => first !== undefined, exitCode, forget: () => forget() };
}

function printOtherCopy(file: string, print: (line: string) => void): void {
	const other = findOtherCopy(file);
	if (other === undefined) return;
	print(`The configuration imports svc ${other.version} of ${other.directory}, this command is svc ${version} of another place.`);
	print(`Hint: run "npx svc" in the folder of the configuration, so that there is one copy.`);
}

/** Where the service is, for people: address by name, none for what it does not run. */
export function toAddressLines({ api, auth, stream, health }: Addresses): readonly (readonly [name: string, address: string])[] {
	const lines: readonly (readonly [string, string | undefined])[] = [
		["API", api && `${api}/v1`],
		["Authentication", auth && `${auth}/auth/v1/tokens`],
		["Stream", stream && `${stream}/v1/stream`],
		["Health", health && `${health}/health/ready`],
	];
	return lines.flatMap(([name, address]) => (address === undefined || address === "" ? [] : [[name, address]]));
}

/** The lines about a user that was made at the start. */
export function toFirstUserLines({ username, password, warning }: FirstUser): readonly string[] {
	return [
		`First start: user "${username}" was made.`,
		password === undefined ? "Its password is the one in SVC_ADMIN_PASSWORD." : `Its password, shown only this once: ${password}`,
		...(warning === undefined ? [] : [`Mind: ${warning}`]),
	];
}

/** The page about the API, which anybody may read; undefined where the API does not listen. */
export function toDocsAddress({ api }: Addresses): string | undefined {
	return api && `${api}/v1/docs`;
}

/** What a terminal shows once the service runs. */
export function toBanner(version: string, addresses: Addresses, screen: Screen): string {
	const docs = toDocsAddress(addresses);
	const named = [...toAddressLines(addresses), ...(docs === undefined ? [] : [["About the API", docs] as const])];
	const lines = named.map(([name, address]) => `${name.padEnd(16)}${address}`);
	return toBox(`svc ${version}`, [...lines, "", "Ctrl-C stops it."], "green", screen);
}

/** What a terminal shows of a user that was made at the start. */
export function toFirstUserBox(user: FirstUser, screen: Screen): string {
	return toBox("First start", toFirstUserLines(user), "yellow", screen);
}

const colours = new RegExp(`${String.fromCharCode(0x1b)}\\[[\\d;]*m`, "g");

/** Lines in a frame; without one where it would not fit. */
function toBox(title: string, lines: readonly string[], colour: "green" | "yellow", screen: Screen): string {
	const paint = paintFor(screen);
	const style = { borderStyle: "rounded", padding: 2, marginLeft: 0, marginTop: 0, marginBottom: 0 };
	// Painted here: consola asks the process for colours, not the screen.
	const framed = box(lines.join("\n"), { title: ` ${title} `, style })
		.replaceAll(colours, "")
		.trimEnd();
	const fits = framed.split("\n").every((line) => line.length <= screen.width);
	const text = fits ? framed : [title, ...lines].join("\n");
	const painted = text.replaceAll(/[╭╮╰╯│─]+/g, (frame) => paint(colour, frame));
	return `${painted.replaceAll(/https?:\/\/\S+/g, (address) => paint("cyan", address))}\n`;
}

/**
 * Show an address to whoever sits there, without waiting. Not by listhen, which runs `xdg-open` from the directory for temporary
 * files when there is one: everybody on the machine may put one there.
 */
export function openInBrowser(address: string, env: Readonly<Record<string, string | undefined>>, print: (line: string) => void): void {
	const child = spawn("xdg-open", [address], { env: { ...env }, stdio: "ignore", detached: true });
	child.once("error", () => print(`There is no xdg-open that could open ${address}`));
	child.unref();
}

/** A copy of this package. */
export interface PackageCopy {
	readonly directory: string;
	readonly version: string;
}

/**
 * The copy of this package that a configuration file imports, when it is another than the one that reads it: a command installed for
 * the whole machine beside a project with its own. Plugins then come from there, and classes are not the same in both.
 */
export function findOtherCopy(configFile: string): PackageCopy | undefined {
	const file = resolvePackage(configFile);
	if (file === undefined || file === packageFile) return undefined;
	const { version } = JSON.parse(readFileSync(file, "utf8")) as { readonly version: string };
	return { directory: dirname(file), version };
}

/** Undefined where the file's project has no copy, as for a configuration that imports nothing. */
function resolvePackage(configFile: string): string | undefined {
	try {
		return realpathSync(createRequire(configFile).resolve("svc-automation/package.json"));
	} catch {
		return undefined;
	}
}

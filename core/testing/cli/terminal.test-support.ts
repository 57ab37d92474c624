import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/** The part of node-pty that is used: it has no types that can be imported. */
interface Pty {
	spawn(
		file: string,
		words: readonly string[],
		options: { name: string; cols: number; rows: number; cwd: string; env: Record<string, string> },
	): {
		onData(listener: (text: string) => void): unknown;
		onExit(listener: (end: { readonly exitCode: number }) => void): unknown;
		write(text: string): void;
		kill(signal: string): void;
	};
}

/** A command that somebody has typed. */
export interface TypedCommand {
	/** Everything that has been shown so far, with what commands the terminal. */
	text(): string;
	/** Type. */
	type(text: string): void;
	/** Resolves once `part` has been shown; rejects when the command ends before. */
	shows(part: string | RegExp): Promise<void>;
	readonly exitCode: Promise<number>;
	end(): void;
}

export interface TypingOptions {
	readonly env?: Readonly<Record<string, string>>;
	readonly columns?: number;
	readonly cwd?: string;
}

/** The built command. */
export const builtMain = fileURLToPath(new URL("../../../dist/plugins/_shipped/main.js", import.meta.url));

/** The built `svc` on a terminal of its own. */
export function typeSvc(words: readonly string[], options: TypingOptions = {}): TypedCommand {
	return typeCommand(process.execPath, [builtMain, ...words], options);
}

/** A command on a terminal of its own. */
export function typeCommand(
	file: string,
	words: readonly string[],
	{ env = {}, columns = 80, cwd = process.cwd() }: TypingOptions = {},
): TypedCommand {
	const terminal = (createRequire(import.meta.url)("node-pty") as Pty).spawn(file, words, {
		name: env["TERM"] ?? "xterm-256color",
		cols: columns,
		rows: 40,
		cwd,
		env: { PATH: process.env["PATH"] ?? "", ...env },
	});
	let text = "";
	let ended = false;
	const checks = new Set<() => void>();
	const check = () => [...checks].forEach((each) => void each());
	terminal.onData((piece) => {
		text += piece;
		check();
	});
	const exitCode = new Promise<number>((resolve) =>
		terminal.onExit(({ exitCode: code }) => {
			ended = true;
			check();
			resolve(code);
		}),
	);
	return {
		text: () => text,
		type: (typed) => terminal.write(typed),
		exitCode,
		end: () => (ended ? undefined : terminal.kill("SIGTERM")),
		shows: (part) =>
			new Promise((resolve, reject) => {
				const look = () => {
					if (typeof part === "string" ? text.includes(part) : part.test(text)) resolve();
					else if (ended) reject(new Error(`the command ended without ${String(part)}:\n${text}`));
					else return;
					checks.delete(look);
				};
				checks.add(look);
				look();
			}),
	};
}

/** What a terminal shows: without colours and without lines that were taken away again. */
export function toShown(text: string): string {
	const begin = String.fromCharCode(0x1b);
	return text
		.replaceAll("\r\n", "\n")
		.replaceAll(new RegExp(`[^\\n]*\\r${begin}\\[K`, "g"), "")
		.replaceAll(new RegExp(`${begin}\\[[\\d;]*m`, "g"), "");
}

import { type ConsolaInstance, createConsola, LogLevels } from "consola/core";
import { hasColours, paintFor } from "../cli/screen.ts";
import type { Logger, Options } from "../contract/index.ts";
import { maskLogFields } from "../secrets/log-redaction.ts";
import { formatJson, formatText, type LogLine } from "./log/format-line.ts";
import { toPlainFields } from "./log/plain-fields.ts";
import { SecretValues } from "./log/secret-values.ts";

/** The log of a service, which can be told of secrets. */
export interface ServiceLogger extends Logger {
	/** The same log under a name; names of names are joined by a colon. */
	withTag(tag: string): ServiceLogger;
	/**
	 * From now on the text is masked wherever it occurs in the log, until it has been forgotten as often as it was added. With `always`
	 * also in a log that does not mask.
	 */
	addSecret(value: string, options?: { readonly always?: boolean }): void;
	forgetSecret(value: string): void;
}

export interface LoggerContext {
	/** Debug mode: everything is logged, and nothing masked. */
	readonly debug: boolean;
	/** Where lines go. Default stderr: stdout is for what commands print. */
	readonly stream?: { write(text: string): unknown; readonly isTTY?: boolean };
	/** Another log that gets the lines in the place of a stream, masked, and with their `tag` among the fields. */
	readonly logger?: Logger | undefined;
}

/** The log of one service. The only place where logs are masked. */
export function createLogger(options: Options["log"], { debug, stream = process.stderr, logger: target }: LoggerContext): ServiceLogger {
	const secrets = new SecretValues();
	const isMasking = options.mask_secrets && !debug;
	const always = new SecretValues();
	const redact = (text: string) => always.redact(isMasking ? secrets.redact(text) : text);
	const names = options.mask_secrets_blacklist.map((name) => name.toLowerCase());
	const isTerminal = stream.isTTY === true;
	const isText = options.format === "text" || (options.format === "auto" && isTerminal);
	const paint = paintFor({ hasColours: hasColours(isTerminal, process.env) });
	const format = (line: LogLine) => (isText ? formatText(line, paint) : formatJson(line));
	const consola = createConsola({
		level: LogLevels[debug ? "debug" : options.level],
		// Consola would swallow lines that repeat within a second, behind a timer that keeps the process alive.
		throttle: 0,
		reporters: [
			{
				log({ date, type, tag, args: [message, given] }) {
					const plain = toPlainFields(given as Readonly<Record<string, unknown>>, redact);
					const fields = isMasking ? maskLogFields(plain, names) : plain;
					const line = { date, level: type, tag, message: redact(String(message)), fields };
					if (target === undefined) stream.write(`${format(line)}\n`);
					else target[type as keyof Logger](line.message, tag === "" ? fields : { ...fields, tag });
				},
			},
		],
	});
	const logger = toLogger(() => consola, { secrets, always });
	if (!isMasking) logger.warn("secrets are not masked in this log", { reason: debug ? "debug mode" : "log.mask_secrets is false" });
	return logger;
}

/** The log that is given, if it can mask; else one that masks and passes on to it. */
export function toServiceLogger(given: Logger | undefined, options: Options["log"], debug: boolean): ServiceLogger {
	return given !== undefined && isServiceLogger(given) ? given : createLogger(options, { debug, logger: given });
}

function isServiceLogger(logger: Logger | ServiceLogger): logger is ServiceLogger {
	return "withTag" in logger && "addSecret" in logger && "forgetSecret" in logger;
}

interface Hidden {
	readonly secrets: SecretValues;
	readonly always: SecretValues;
}

function toLogger(open: () => ConsolaInstance, hidden: Hidden): ServiceLogger {
	return {
		debug: (message, fields = {}) => open().debug(message, fields),
		info: (message, fields = {}) => open().info(message, fields),
		warn: (message, fields = {}) => open().warn(message, fields),
		error: (message, fields = {}) => open().error(message, fields),
		withTag(tag) {
			// Made with the first line: each run has a log of its own, and most write nothing.
			let tagged: ConsolaInstance | undefined;
			return toLogger(() => (tagged ??= open().withTag(tag)), hidden);
		},
		addSecret: (value, { always = false } = {}) => (always ? hidden.always : hidden.secrets).add(value),
		forgetSecret(value) {
			hidden.secrets.forget(value);
			hidden.always.forget(value);
		},
	};
}

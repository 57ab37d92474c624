import { type ConsolaInstance, createConsola, LogLevels } from "consola/core";
import { hasColours, paintFor } from "../cli/output-capabilities.ts";
import type { Logger, Options } from "../contract/index.ts";
import { maskLogFields } from "../secrets/log-redaction.ts";
import { formatJson, formatText, type LogLine } from "./log/format-line.ts";
import { redactText, toRedactedFields } from "./log/redacted-fields.ts";
import { SecretValues } from "./log/secret-values.ts";

/** The log of a service. Callers add the secrets that it must mask. */
export interface ServiceLogger extends Logger {
	/** Returns the same log with a tag. Nested tags are joined with a colon. */
	withTag(tag: string): ServiceLogger;
	/**
	 * Masks the value wherever it occurs in the log, until `forgetSecret` has been called as often as `addSecret`. With `always`, the value is
	 * masked even if the log does not mask secrets.
	 */
	addSecret(value: string, options?: { readonly always?: boolean }): void;
	forgetSecret(value: string): void;
}

export interface LoggerContext {
	/** Debug mode: everything is logged and, except for secrets added with `always`, nothing is masked. */
	readonly debug: boolean;
	/** Stream for the lines. Default: stderr, because stdout is for the output of commands. */
	readonly stream?: { write(text: string): unknown; readonly isTTY?: boolean };
	/** Log that receives the masked lines instead of the stream. The tag of a line is passed as the field `tag`. */
	readonly logger?: Logger | undefined;
}

/** Creates the log of one service. Secrets in logs are masked only here. */
export function createLogger(options: Options["log"], { debug, stream = process.stderr, logger: target }: LoggerContext): ServiceLogger {
	const secrets = new SecretValues();
	const isMasking = options.mask_secrets && !debug;
	const always = new SecretValues();
	const names = options.mask_secrets_blacklist.map((name) => name.toLowerCase());
	const isTerminal = stream.isTTY === true;
	const isText = options.format === "text" || (options.format === "auto" && isTerminal);
	const paint = paintFor({ hasColours: hasColours(isTerminal, process.env) });
	const format = (line: LogLine) => (isText ? formatText(line, paint) : formatJson(line));
	const consola = createConsola({
		level: LogLevels[debug ? "debug" : options.level],
		// Otherwise consola drops lines that repeat within a second, and its timer keeps the process alive.
		throttle: 0,
		reporters: [
			{
				log({ date, type, tag, args: [message, given] }) {
					const redactors = [...(isMasking ? secrets.redactors() : []), ...always.redactors()];
					const plain = toRedactedFields(given as Readonly<Record<string, unknown>>, redactors);
					const fields = isMasking ? maskLogFields(plain, names) : plain;
					const line = { date, level: type, tag, message: redactText(String(message), redactors), fields };
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

/** Returns the given log if it can mask secrets, otherwise a log that masks and forwards to it. */
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
			// Create the tagged log only with its first line, because each run has its own log, and most runs log nothing.
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

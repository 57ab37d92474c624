import { isBuiltin } from "node:module";
import { CliExit } from "../context.ts";

/** The words that a new package has in the place of those of its template. */
export interface PackageNames {
	/** As npm knows it, with its scope: `@site/night-shift`. */
	readonly package: string;
	/** Without the scope: the plugin's name. */
	readonly plugin: string;
	/** As a pack's name: `night_shift`. */
	readonly pack: string;
}

const scope = /^@[a-z0-9][a-z0-9._-]*\//;
const bareName = /^[a-z][a-z0-9]*([-_][a-z0-9]+)*$/;
/** Longest name that npm takes. */
const longest = 214;
/** Names that mean something else to npm or to the service. */
const taken: ReadonlySet<string> = new Set(["svc", "svc-automation", "core", "default", "node_modules"]);

/** Names from what was typed; refuses what npm would not take or no identifier could be made of. */
export function toPackageNames(name: string): PackageNames {
	const plugin = name.replace(scope, "");
	if (!bareName.test(plugin) || name.length > longest) {
		throw new CliExit(
			2,
			`name: "${name}" must be a name that npm takes: lower-case letters and digits in words joined by - or _, a letter first, ` +
				`at most ${longest} characters; a scope such as @site/ may stand in front`,
		);
	}
	if (taken.has(plugin) || isBuiltin(name))
		throw new CliExit(2, `name: "${plugin}" has a meaning of its own; choose another, such as "my-${plugin}"`);
	return { package: name, plugin, pack: plugin.replaceAll("-", "_") };
}

/**
 * An identifier for the plugin, `nightShift`. Where that is a word of the language, or stands in the sources already for something
 * else, the kind is added.
 */
export function toIdentifier({ plugin }: PackageNames, kind: string, sources: readonly string[]): string {
	const short = toCamelCase(plugin);
	const used = new Set([...reserved, ...sources.flatMap((source) => source.match(/[A-Za-z_$][\w$]*/g) ?? [])]);
	const candidates = [short, toCamelCase(`${plugin}-${kind}`), toCamelCase(`my-${plugin}-${kind}`)];
	return candidates.find((candidate) => !used.has(candidate)) ?? toCamelCase(`own-${plugin}-${kind}-plugin`);
}

function toCamelCase(words: string): string {
	return words.replace(/[-_]([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}

const reserved = (
	"arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if " +
	"implements import in instanceof interface let new null package private protected public return static super switch this throw true try " +
	"typeof undefined var void while with yield"
).split(" ");

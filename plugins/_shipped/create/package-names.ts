import { isBuiltin } from "node:module";
import { CliExit } from "../../../core/cli/context.ts";

/** Names in a new package, which replace those of its template. */
export interface PackageNames {
	/** Name for npm, with the scope: `@site/night-shift`. */
	readonly package: string;
	/** Name of the plugin, without the scope. */
	readonly plugin: string;
	/** Name of a pack: `night_shift`. */
	readonly pack: string;
	/** Name of the kind of notes that a feature stores: `night_shift_note`. */
	readonly note: string;
}

const scope = /^@[a-z0-9][a-z0-9._-]*\//;
const bareName = /^[a-z][a-z0-9]*([-_][a-z0-9]+)*$/;
/** Maximum length of a name in npm. */
const maxPackageNameLength = 214;
/** Names with another meaning in npm or in the service. */
const taken: ReadonlySet<string> = new Set(["svc", "svc-automation", "core", "default", "node_modules"]);

/**
 * Derives the names in a new package from the name that the user has given. Exits with 2 if npm would not accept it or no identifier can be
 * derived from it.
 */
export function toPackageNames(name: string): PackageNames {
	const plugin = name.replace(scope, "");
	if (!bareName.test(plugin) || name.length > maxPackageNameLength) {
		throw new CliExit(
			2,
			`name: "${name}" must be a valid npm package name: lower-case letters and digits in words joined by - or _, ` +
				`beginning with a letter, at most ${maxPackageNameLength} characters; a scope such as @site/ is allowed`,
		);
	}
	if (taken.has(plugin) || isBuiltin(name))
		throw new CliExit(2, `name: "${plugin}" has a meaning of its own; choose another, such as "my-${plugin}"`);
	return { package: name, plugin, pack: plugin.replaceAll("-", "_"), note: toKindName(plugin, "note") };
}

/** Maximum length of the name of a kind of entities. */
const maxKindLength = 41;

/** Returns a name for a kind of entities. Digits are left out, because such a name must not contain any. */
function toKindName(plugin: string, suffix: string): string {
	const words = plugin
		.replaceAll(/\d/g, "")
		.split(/[-_]+/)
		.filter((word) => word !== "");
	return `${words.join("_").slice(0, maxKindLength - suffix.length - 1)}_${suffix}`;
}

/**
 * Returns an identifier for the plugin, such as `nightShift`. The kind is appended if the identifier is a reserved word or already occurs
 * in the sources.
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

import { isIP } from "node:net";
import { OptionReader } from "../_options/option-reader.ts";
import { type ClientSettings, readClientOptions } from "./client-options.ts";
import { parseDn } from "./dn.ts";
import { compileFilter, type FilterTemplate } from "./filter-template.ts";
import type { GroupCacheLimits } from "./group-cache.ts";
import type { GroupRequirement } from "./membership.ts";
import type { Server } from "./server.ts";
import { readTlsSettings, type TlsSettings } from "./tls-settings.ts";

export type Scope = "base" | "one" | "sub";

/** Validated options. */
export interface Settings {
	readonly bindDn: string;
	readonly bindPassword: string;
	readonly userBase: string;
	readonly groupBase: string;
	readonly requirement: GroupRequirement;
	/** Required groups as configured, for the log. */
	readonly requiredGroups: readonly string[];
	readonly servers: readonly Server[];
	readonly tls: TlsSettings;
	readonly idAttribute: string;
	/** True if users are found by `idAttribute`, so that its value is their name. */
	readonly isFoundById: boolean;
	readonly accountFilter: FilterTemplate<"username">;
	readonly groupFilter: FilterTemplate<"username" | "user_dn">;
	readonly scope: Scope;
	/** Milliseconds to wait for each response. */
	readonly timeout: number;
	readonly client: ClientSettings;
	readonly chaseReferrals: boolean;
	readonly nestedGroups: boolean;
	readonly debug: boolean;
	readonly groupCache: GroupCacheLimits;
}

const scopes = { subtree: "sub", onelevel: "one", base: "base" } as const;
const membershipPattern = "(|(member={user_dn})(uniqueMember={user_dn})(memberUid={username}))";
const maxWait = 3_600;

/**
 * Validates the options. Throws `SVC_CONFIG` with all problems.
 *
 * @param assertFilter throws if a search filter cannot be parsed
 */
export function parseSettings(input: unknown, assertFilter: (filter: string) => void): Settings {
	const reader = new OptionReader(input);
	const userBase = readDn(reader, "base_ou", reader.requiredText("base_ou"));
	const client = readClientOptions(reader);
	const requiredGroups = reader.texts("group_dns");
	const settings: Settings = {
		bindDn: reader.requiredText("bind_dn"),
		bindPassword: reader.requiredText("bind_password"),
		userBase,
		groupBase: readDn(reader, "base_ou_group", reader.text("base_ou_group") ?? userBase),
		requirement: { required: toRequirement(reader, requiredGroups), check: reader.choice("group_dns_check", ["and", "or"]) },
		requiredGroups,
		servers: readServers(reader),
		tls: readTlsSettings(reader, client),
		...readFilters(reader, assertFilter),
		scope: scopes[reader.choice("scope", ["subtree", "onelevel", "base"])],
		timeout: 1_000 * (reader.number("network_timeout", { minimum: 0.001, maximum: maxWait }) ?? 10),
		client,
		chaseReferrals: reader.flag("chase_referrals", false),
		nestedGroups: reader.flag("nested_groups", false),
		debug: reader.flag("debug", false),
		groupCache: readGroupCache(reader),
	};
	reader.finish("ldap");
	return settings;
}

function readDn(reader: OptionReader, name: string, text: string): string {
	if (text !== "" && parseDn(text) === undefined) reader.report(name, 'must be a distinguished name such as "ou=people,dc=example,dc=org"');
	return text;
}

function toRequirement(reader: OptionReader, groups: readonly string[]): readonly (readonly string[])[] {
	return groups.map((text) => {
		const parts = parseDn(text);
		if (parts === undefined)
			reader.report("group_dns", `${JSON.stringify(text)} is not a distinguished name such as "cn=users,dc=example,dc=org"`);
		return parts ?? [];
	});
}

function readServers(reader: OptionReader): readonly Server[] {
	const useSsl = reader.flag("use_ssl", false);
	const useTls = reader.flag("use_tls", false);
	if (useSsl && useTls) reader.report("use_ssl", "only one of use_ssl and use_tls may be true");
	const encryption = useSsl ? "ssl" : useTls ? "tls" : "none";
	const port = reader.number("port", { integer: true, minimum: 0, maximum: 65_535 }) || (useSsl ? 636 : 389);
	const text = reader.requiredText("host");
	const hosts = text === "" ? [] : text.split(",").map((host) => host.trim().replace(/^\[(.*)\]$/, "$1"));
	if (!hosts.every((host) => isIP(host) !== 0 || /^[\w.-]+$/.test(host))) {
		reader.report("host", "must be a host name or address, or several separated by commas, without scheme or port");
	}
	return hosts.map((host) => ({ host, port, encryption }));
}

type Filters = Pick<Settings, "idAttribute" | "isFoundById" | "accountFilter" | "groupFilter">;

function readFilters(reader: OptionReader, assertFilter: (filter: string) => void): Filters {
	const idAttribute = reader.text("id_attr") ?? "uid";
	if (!/^[A-Za-z][A-Za-z\d-]*$/.test(idAttribute)) reader.report("id_attr", "must be the name of an attribute");
	const pattern = reader.text("account_pattern");
	const compile = <N extends string>(name: string, text: string, names: readonly N[]): FilterTemplate<N> => {
		const compileAndTry = () => {
			const compiled = compileFilter(text, names);
			const sample = Object.fromEntries(names.map((each) => [each, "cn=a"])) as Record<N, string>;
			assertFilter(compiled(sample));
			return compiled;
		};
		return reader.converted(name, text, compileAndTry) ?? (() => "");
	};
	return {
		idAttribute,
		isFoundById: pattern === undefined,
		accountFilter: compile(pattern === undefined ? "id_attr" : "account_pattern", pattern ?? `(${idAttribute}={username})`, ["username"]),
		groupFilter: compile("group_pattern", reader.text("group_pattern") ?? membershipPattern, ["user_dn", "username"]),
	};
}

function readGroupCache(reader: OptionReader): GroupCacheLimits {
	const isOn = reader.flag("cache_user_groups_response", true);
	const limits = { minimum: 0, maximum: 86_400 };
	const ttl = reader.number("cache_user_groups_ttl", limits);
	const otherTtl = reader.number("cache_user_groups_cache_ttl", limits);
	if (ttl !== undefined && otherTtl !== undefined && ttl !== otherTtl) {
		reader.report(
			"cache_user_groups_ttl",
			"is an alias of cache_user_groups_cache_ttl, which has a different value; give only one of them",
		);
	}
	const size = reader.number("cache_user_groups_cache_max_size", { integer: true, minimum: 1, maximum: 1_000_000 }) ?? 100;
	return { ttl: isOn ? (ttl ?? otherTtl ?? 120) : 0, size };
}

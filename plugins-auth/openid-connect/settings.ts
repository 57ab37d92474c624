import { OptionReader } from "../_options/option-reader.ts";

/** Validated options, with defaults. */
export interface Settings {
	readonly issuer: URL;
	readonly clientId: string;
	readonly secret: { readonly text?: string; readonly file?: string };
	readonly clientAuth: "auto" | "client_secret_basic" | "client_secret_post";
	readonly label: string;
	readonly scope: string;
	readonly usernameClaim: string;
	readonly usernamePrefix: string;
	readonly groupsClaim: string | undefined;
	readonly requiresVerifiedEmail: boolean;
	readonly requiredClaims: ReadonlyMap<string, readonly string[]>;
	readonly linksExistingUsers: boolean;
	/** Maximum clock difference in seconds. */
	readonly clockTolerance: number;
	/** Seconds to wait for each response. */
	readonly networkTimeout: number;
}

const loopback = new Set(["127.0.0.1", "[::1]", "localhost"]);
const nowhere = new URL("https://issuer.invalid/");

/** Validates the options. Throws `SVC_CONFIG` with all problems. */
export function parseSettings(options: unknown): Settings {
	const reader = new OptionReader(options);
	const issuer = reader.converted("issuer", reader.requiredText("issuer") || undefined, toIssuer) ?? nowhere;
	const clientId = reader.requiredText("client_id");
	const text = reader.text("client_secret");
	const file = reader.text("client_secret_file");
	if (text !== undefined && file !== undefined) reader.report("client_secret_file", "cannot be combined with client_secret");
	if (file !== undefined && !file.startsWith("/")) reader.report("client_secret_file", "must be an absolute path");
	const clientAuth = reader.choice("client_auth", ["auto", "client_secret_basic", "client_secret_post"]);
	const label = reader.text("label") ?? issuer.host;
	const scopes = reader.optionalTexts("scopes") ?? ["openid", "profile", "email"];
	if (!scopes.includes("openid")) reader.report("scopes", 'must include "openid"');
	if (scopes.some((scope) => /\s/.test(scope))) reader.report("scopes", "must each be a name without spaces");
	const usernameClaim = reader.text("username_claim") ?? "preferred_username";
	return finish(reader, {
		issuer,
		clientId,
		secret: { ...(text !== undefined && { text }), ...(file !== undefined && { file }) },
		clientAuth,
		label,
		scope: scopes.join(" "),
		usernameClaim,
		usernamePrefix: reader.text("username_prefix") ?? "",
		groupsClaim: reader.text("groups_claim"),
		requiresVerifiedEmail: reader.flag("require_verified_email", usernameClaim === "email"),
		requiredClaims: readRequired(reader),
		linksExistingUsers: reader.flag("link_existing_users", false),
		clockTolerance: reader.number("clock_tolerance", { minimum: 0, maximum: 300, integer: true }) ?? 30,
		networkTimeout: reader.number("network_timeout", { minimum: 0.1, maximum: 60 }) ?? 10,
	});
}

function finish(reader: OptionReader, settings: Settings): Settings {
	reader.finish("openid_connect");
	return settings;
}

/**
 * Parses the issuer URL. Without TLS an attacker in the network could impersonate the provider, so `http:` is allowed only for the loopback
 * interface.
 */
function toIssuer(text: string): URL {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && loopback.has(url.hostname));
	if (url === undefined || !isSafe) throw new Error("must be an address that begins with https:, or with http: for the local machine");
	if (url.search !== "" || url.hash !== "" || url.username !== "") throw new Error("must not contain a query, fragment or user");
	return url;
}

function readRequired(reader: OptionReader): ReadonlyMap<string, readonly string[]> {
	const required = new Map<string, readonly string[]>();
	for (const [name, value] of Object.entries(reader.object("required_claims"))) {
		const values = Array.isArray(value) ? value : [value];
		if (values.length > 0 && values.every((each) => typeof each === "string" && each !== "")) required.set(name, values as string[]);
		else reader.report("required_claims", `"${name}" must be a string, or a list of one or more strings`);
	}
	return required;
}

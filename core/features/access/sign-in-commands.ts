import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { withExamples } from "../../cli/commands/examples.ts";
import { type AddCommands, optionsOf, toInteger, withCommonOptions, withFormatOptions } from "../../cli/commands/options.ts";
import { type CliContext, CliExit, write } from "../../cli/context.ts";
import { toReason, toRefusedSignIn } from "../../cli/failure.ts";
import { setIniValue } from "../../cli/ini.ts";
import { readPassword } from "../../cli/password.ts";
import { printRecord } from "../../cli/print-records.ts";
import { connect, openSession } from "../../cli/session.ts";
import { type GlobalOptions, resolveSettings, type Settings } from "../../cli/settings.ts";
import { readCachedToken, writeCachedToken } from "../../cli/token-cache.ts";
import type { TokenRecord } from "../../client/password-sign-in.ts";
import { isSvcError } from "../../contract/index.ts";
import { type AccessClient, createAccessClient, type DeviceSignInRecord } from "./client.ts";

const visiblePassword =
	"warning: --password: the process list shows it to all users of this machine, and the shell history may keep it; omit it to be prompted, or send the password to standard input\n";

interface SignInOptions extends GlobalOptions {
	readonly password?: string;
	readonly ttl?: number;
	readonly writePassword?: boolean;
	readonly onlyToken?: boolean;
	readonly sso?: boolean;
}

export const addSignInCommands: AddCommands = (parent, context) => {
	const describe = (name: string, description: string) =>
		parent
			.command(`${name} [user]`)
			.description(description)
			.option(
				"-p, --password <password>",
				"password, visible to other users of this machine; default: read from a prompt or standard input",
			)
			.option("-l, --ttl <seconds>", "lifetime of the token in seconds", toInteger)
			.option("--sso", "sign in with the identity provider of the service, in a browser on any machine; without a user");

	describe("login", "Sign in and store the token for later commands.")
		.option("-w, --write-password", "store the password in the configuration file, so that later commands can sign in again")
		.action(async (user: string | undefined, _options, command) => login(user, optionsOf(command), context));

	withFormatOptions(describe("auth", "Sign in and print the token."))
		.option("-t, --only-token", "print only the token")
		.action(async (user: string | undefined, _options, command) => {
			const options = optionsOf<SignInOptions>(command);
			const { record } = await signIn(user, options, context);
			if (options.onlyToken) await write(context.stdout, `${record.token}\n`);
			else await printRecord(record, ["user", "token", "expiry"], options, context);
		});

	parent
		.command("token [user]")
		.description("Print the stored token of a user, by default the user who signed in last.")
		.action(async (user: string | undefined, _options, command) => {
			const { directory, ...settings } = resolveSettings(optionsOf<GlobalOptions>(command), context.env);
			const username = user ?? settings.username;
			const token = username === undefined ? undefined : readCachedToken(directory, username);
			if (token === undefined) throw new CliExit(1, `no valid token is stored; sign in with \`svc login ${username ?? "<user>"}\``);
			await write(context.stdout, `${token}\n`);
		});

	withCommonOptions(parent.command("whoami").description("Show the user of the current credential.")).action(async (_options, command) => {
		const options = optionsOf(command);
		try {
			const user = await createAccessClient(await openSession(options, context)).user();
			await printRecord(
				user,
				["username", "authentication.method", "authentication.token_expire", "rbac.enabled", "rbac.roles"],
				options,
				context,
			);
		} catch (error) {
			if (!isSvcError(error, "SVC_UNAUTHORIZED")) throw error;
			await write(context.stdout, "Not signed in. Sign in with `svc login <user>`.\n");
		}
	});
	withExamples(parent, {
		login: ["svc login maria", "svc login --sso"],
		auth: ["svc auth maria -t", "svc auth maria --ttl 3600 -j"],
		token: ["svc token", 'curl -H "X-Auth-Token: $(svc token)" http://127.0.0.1:9101/v1/user'],
		whoami: ["svc whoami", 'svc whoami --api-key "$KEY"'],
	});
};

interface SignedIn {
	readonly record: TokenRecord;
	/** Password used; undefined if the user signed in with the provider. */
	readonly password: string | undefined;
	readonly settings: Settings;
}

async function signIn(username: string | undefined, options: SignInOptions, context: CliContext): Promise<SignedIn> {
	const settings = resolveSettings(options, context.env);
	if (options.sso === true) {
		const others = [username, options.password, options.writePassword].some((given) => given !== undefined);
		if (others) throw new CliExit(2, "--sso: cannot be combined with a user or a password, because the provider asks for both; omit them");
		return {
			record: await signInElsewhere(createAccessClient(connect(settings, context)), options, context),
			password: undefined,
			settings,
		};
	}
	if (username === undefined) throw new CliExit(2, "user: missing; name the user who signs in, or set --sso");
	if (options.password !== undefined) await write(context.stderr, visiblePassword);
	const password = options.password ?? (await readPassword(`Password of ${username}: `, context));
	try {
		const record = await createAccessClient(connect(settings, context)).signIn({ username, password }, { ttl: options.ttl });
		return { record, password, settings };
	} catch (error) {
		// The general hint for a refused credential is to sign in, which has just failed.
		if (isSvcError(error, "SVC_UNAUTHORIZED")) throw new CliExit(1, toRefusedSignIn(username, error));
		throw error;
	}
}

async function login(username: string | undefined, options: SignInOptions, context: CliContext): Promise<void> {
	const { record, password, settings } = await signIn(username, options, context);
	const user = username ?? record.user;
	if (settings.cacheToken) writeCachedToken(settings.directory, user, record.token, record.expiry);
	rememberUser(settings.configFile, user, options.writePassword ? password : undefined);
	await write(context.stdout, `Signed in as ${record.user}; the token is valid until ${record.expiry}.\n`);
	if (options.sso === true) await write(context.stdout, "Sign in again after that.\n");
	else if (!options.writePassword) await write(context.stdout, "Sign in again after that, or use -w to store the password.\n");
}

function rememberUser(file: string, username: string, password: string | undefined): void {
	const text = existsSync(file) ? readFileSync(file, "utf8") : "";
	const changed = setIniValue(setIniValue(text, "credentials", "password", password), "credentials", "username", username);
	if (changed === text) return;
	mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
	writeFileSync(file, changed, { mode: 0o600 });
	// Writing an existing file does not change its mode, which may allow other users to read the password.
	if (password !== undefined) chmodSync(file, 0o600);
}

/** Seconds added to the poll interval each time the provider requests slower polling. */
const slower = 5;
/** Minimum and maximum seconds between polls. They limit the interval that the provider requests. */
const [shortest, longest] = [1, 60];

/** Signs in with a browser on any machine: prints the address and the code to stderr, then polls until the user has signed in. */
async function signInElsewhere(
	{ singleSignOn }: Pick<AccessClient, "singleSignOn">,
	{ ttl }: { readonly ttl?: number },
	{ stderr }: Pick<CliContext, "stderr">,
): Promise<TokenRecord> {
	const begun = await singleSignOn.beginDevice().catch((error: unknown) => {
		if (isSvcError(error, "SVC_NOT_FOUND")) throw new CliExit(1, `${error.message}; sign in with a password: \`svc login <user>\``);
		throw error;
	});
	await write(stderr, toInvitation(begun));
	const end = performance.now() + begun.expires_in * 1_000;
	let interval = Math.min(longest, Math.max(shortest, begun.interval));
	while (performance.now() < end) {
		await delay(interval * 1_000);
		const answer = await poll();
		if (answer !== undefined && "token" in answer) return answer;
		if (answer?.slow_down === true) interval = Math.min(longest, interval + slower);
	}
	throw new CliExit(1, "the sign-in was not completed in time; run `svc login --sso` again");

	async function poll() {
		try {
			return await singleSignOn.pollDevice(begun.device_code, { ttl });
		} catch (error) {
			if (isSvcError(error, "SVC_UNAUTHORIZED")) throw new CliExit(1, `the service refused the sign-in: ${toReason(error)}`);
			// Temporary: the user can continue to sign in at the provider, so poll again.
			if (isSvcError(error, "SVC_UNAVAILABLE") || isSvcError(error, "SVC_TOO_MANY")) return undefined;
			throw error;
		}
	}
}

function toInvitation({ verification_uri, verification_uri_complete, user_code }: DeviceSignInRecord): string {
	const complete = verification_uri_complete === undefined ? "" : `\nor open ${plain(verification_uri_complete)}\n`;
	return `To sign in, open ${plain(verification_uri)} in a browser and enter the code ${plain(user_code)}\n${complete}`;
}

/** Removes control characters, because text of the provider is printed to a terminal. */
function plain(text: string): string {
	return text.replace(/\p{Cc}/gu, "");
}

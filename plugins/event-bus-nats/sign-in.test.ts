import * as assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAccount, createOperator, createUser, type KeyPair } from "@nats-io/nkeys";
import { test } from "uvu";
import { natsTest } from "../../core/testing/services/nats.test-support.ts";
import { arrives } from "../_event-bus/shared-bus.test-support.ts";
import { withServer } from "./nats-bus.test-support.ts";

const signInTest = natsTest(test);
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

withServer(
	signInTest,
	"a token signs in, another one does not",
	async ({ start }) => {
		await arrives(await start({ token: "s3cret" }), await start({ token: "s3cret" }));
		const wrong = await start({ token: "wr0ng-secret" });
		assert.match(String((await wrong.logged(/has no connection/)).fields["reason"]), /authorization violation/i);
		assert.equal(JSON.stringify(wrong.lines).includes("wr0ng-secret"), false);
	},
	'authorization { token: "s3cret" }',
);

const [key, stranger] = [createUser(), createUser()];

withServer(
	signInTest,
	"an nkey signs in, one that the server does not know does not",
	async ({ start }) => {
		const nkey = text(key.getSeed());
		await arrives(await start({ nkey }), await start({ nkey }));
		const wrong = await start({ nkey: text(stranger.getSeed()) });
		assert.match(String((await wrong.logged(/has no connection/)).fields["reason"]), /authorization violation/i);
	},
	`authorization { users = [{ nkey: ${key.getPublicKey()} }] }`,
);

const [operator, account] = [createOperator(), createAccount()];

withServer(
	signInTest,
	"a file of credentials signs in, and is read again for each connection",
	async ({ server, start }) => {
		const directory = await mkdtemp(join(tmpdir(), "svc-nats-creds-"));
		const creds = join(directory, "svc.creds");
		try {
			await writeFile(creds, toCredentials(createUser(), account));
			const [here, there] = [await start({ creds }), await start({ creds })];
			await arrives(here, there);
			await server.halt();
			await writeFile(creds, toCredentials(createUser(), account));
			await server.resume();
			await arrives(here, there);
			await writeFile(creds, toCredentials(createUser(), createAccount()));
			const wrong = await start({ creds });
			assert.match(String((await wrong.logged(/has no connection/)).fields["reason"]), /authorization violation/i);
		} finally {
			await rm(directory, { recursive: true });
		}
	},
	[
		`operator: ${toToken(operator, operator, { type: "operator" })}`,
		"resolver: MEMORY",
		`resolver_preload: { ${account.getPublicKey()}: ${toToken(account, operator, { type: "account", limits: unlimited() })} }`,
	].join("\n"),
);

function toCredentials(user: KeyPair, issuer: KeyPair): string {
	const limits = { subs: -1, data: -1, payload: -1 };
	const block = (name: string, value: string) => `-----BEGIN ${name}-----\n${value}\n------END ${name}------\n\n`;
	return (
		block("NATS USER JWT", toToken(user, issuer, { type: "user", pub: {}, sub: {}, ...limits })) +
		block("USER NKEY SEED", text(user.getSeed()))
	);
}

/** A token of the kind that `nsc` makes. */
function toToken(subject: KeyPair, issuer: KeyPair, nats: object): string {
	const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
	const claims = { jti: "test", iat: Math.floor(Date.now() / 1000), iss: issuer.getPublicKey(), name: "test", sub: subject.getPublicKey() };
	const body = `${encode({ typ: "JWT", alg: "ed25519-nkey" })}.${encode({ ...claims, nats: { ...nats, version: 2 } })}`;
	return `${body}.${Buffer.from(issuer.sign(Buffer.from(body))).toString("base64url")}`;
}

function unlimited(): object {
	return { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
}

test.run();

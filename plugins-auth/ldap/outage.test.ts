// test-waits
// test-suite: full
import * as assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "uvu";
import { isSvcError } from "../../core/contract/index.ts";
import { findFreePort } from "../../core/testing/services/free-port.test-support.ts";
import { startBackend, toOptions, withBackend } from "./backend.test-support.ts";
import { people, type Slapd, slapdTest, startSlapd, toGroup, toPerson, withSlapd } from "./slapd.test-support.ts";
import { startMute, startProxy, startTcp, type TcpServer } from "./tcp.test-support.ts";

const check = slapdTest(test, "ldapmodify");
const staff = toGroup("staff", [`uid=ann,${people}`]);
const entries = [toPerson("ann", "correct horse"), staff];
const isUnavailable = (error: unknown) => isSvcError(error, "SVC_UNAVAILABLE");

async function withTcp(server: Promise<TcpServer>, use: (server: TcpServer) => Promise<void>): Promise<void> {
	const started = await server;
	try {
		await use(started);
	} finally {
		await started.stop();
	}
}

/** Time that stands still until it is moved. */
function createClock() {
	let microseconds = 1;
	return { now: () => microseconds, pass: (seconds: number) => void (microseconds += seconds * 1_000_000) };
}

/** Options for a server anywhere. */
function optionsFor(port: number, more: object = {}) {
	const slapd = { ports: { ldap: port, ldaps: port } } as Slapd;
	return toOptions(slapd, { network_timeout: 0.3, ...more });
}

check("of several servers, one that is dead is passed over and asked last for a while", async () => {
	// One port for all: addresses of the loopback network stand for different machines, of which slapd listens on one.
	await withSlapd({ entries }, async (slapd) => {
		const clock = createClock();
		const hosts = "127.0.0.2, 127.0.0.1,127.0.0.3";
		await withBackend(
			toOptions(slapd, { host: hosts }),
			async ({ signIn, log }) => {
				const failures = () => log.filter(({ message }) => message === "directory server failed").map(({ fields }) => fields["server"]);
				const dead = `ldap://127.0.0.2:${slapd.ports.ldap}`;
				assert.equal(await signIn("ann", "correct horse"), "ann");
				assert.equal(await signIn("ann", "wrong"), undefined);
				assert.deepEqual(failures(), [dead]);
				clock.pass(61);
				assert.equal(await signIn("ann", "correct horse"), "ann");
				assert.deepEqual(failures(), [dead, dead]);
			},
			clock,
		);
	});
});

check("a wrong password is asked of one server only", async () => {
	await withSlapd({ entries }, async (slapd) => {
		await withBackend(toOptions(slapd, { host: "127.0.0.1,127.0.0.1" }), async ({ signIn }) => {
			assert.equal(await signIn("ann", "wrong"), undefined);
			assert.equal((await slapd.log()).match(/BIND dn="uid=ann,[^"]*" method/g)?.length, 1);
		});
	});
});

check("a server that breaks off in the middle is passed over", async () => {
	await withSlapd({ entries }, async (slapd) => {
		for (const breakAt of [0, 1, 2]) {
			const toClient = (piece: Buffer, { connection, sent }: { connection: number; sent: number }) =>
				connection === 1 && sent >= breakAt ? undefined : piece;
			await withTcp(startProxy(slapd.ports.ldap, { toClient }), async (proxy) => {
				await withBackend(toOptions(slapd, { host: "127.0.0.1,localhost", port: proxy.port }), async ({ signIn }) => {
					assert.equal(await signIn("ann", "correct horse"), "ann");
				});
			});
		}
	});
});

check("connections reset at any moment lead to no answer at worst", async () => {
	await withSlapd({ entries }, async (slapd) => {
		const reset = startTcp((socket) => {
			const server = connect(slapd.ports.ldap, "127.0.0.1").on("error", () => undefined);
			socket.pipe(server).pipe(socket);
			socket.on("close", () => server.destroy());
			setTimeout(() => socket.resetAndDestroy(), Math.random() * 10).unref();
		});
		await withTcp(reset, async ({ port }) => {
			await withBackend(toOptions(slapd, { port }), async ({ signIn }) => {
				for (let round = 0; round < 100; round += 1) {
					const isRight = round % 2 === 0;
					const outcome = await signIn("ann", isRight ? "correct horse" : "wrong").catch((error: unknown) => error);
					assert.ok(outcome === (isRight ? "ann" : undefined) || isUnavailable(outcome), String(outcome));
				}
			});
		});
	});
});

check("while the server is down nobody can tell, and afterwards all is well", async () => {
	const slapd = await startSlapd({ entries });
	const { backend, signIn } = await startBackend(toOptions(slapd));
	try {
		assert.equal(await signIn("ann", "correct horse"), "ann");
		await slapd.stop();
		for (const password of ["correct horse", "wrong"]) await assert.rejects(signIn("ann", password), isUnavailable);
		const again = await startSlapd({ entries, ports: slapd.ports });
		assert.equal(await signIn("ann", "correct horse"), "ann");
		await again.stop();
	} finally {
		await backend.stop?.();
		await slapd.stop();
	}
});

check("the password is asked for every time, only groups are kept, and only for a while", async () => {
	const dn = `uid=ann,${people}`;
	const leave = `dn: cn=staff,ou=groups,dc=example,dc=org\nchangetype: modify\ndelete: member\nmember: ${dn}\n`;
	const newPassword = `dn: ${dn}\nchangetype: modify\nreplace: userPassword\nuserPassword: another\n`;
	await withSlapd({ entries }, async (slapd) => {
		const clock = createClock();
		await withBackend(
			toOptions(slapd, { cache_user_groups_ttl: 30 }),
			async ({ signIn }) => {
				assert.equal(await signIn("ann", "correct horse"), "ann");
				await slapd.modify(newPassword);
				assert.equal(await signIn("ann", "correct horse"), undefined);
				await slapd.modify(leave);
				clock.pass(29);
				assert.equal(await signIn("ann", "another"), "ann");
				clock.pass(2);
				assert.equal(await signIn("ann", "another"), undefined);
			},
			clock,
		);
		const countSearches = async () => (await slapd.log()).match(/SRCH base="ou=groups/g)?.length ?? 0;
		const before = await countSearches();
		await withBackend(toOptions(slapd, { cache_user_groups_response: false }), async ({ signIn }) => {
			for (const name of ["ann", "ann", "nobody", "nobody"]) assert.equal(await signIn(name, "another"), undefined);
		});
		assert.equal((await countSearches()) - before, 4);
	});
});

check("an unknown user takes as long as a wrong password where passwords are slow to verify", async () => {
	const slow = "{CRYPT}$6$rounds=800000$saltsaltsalt$invalidinvalidinvalid";
	await withSlapd({ entries: [toPerson("ann", slow), staff] }, async (slapd) => {
		await withBackend(toOptions(slapd), async ({ signIn }) => {
			const time = async (name: string) => {
				const begin = performance.now();
				assert.equal(await signIn(name, "wrong"), undefined);
				return performance.now() - begin;
			};
			const known = [await time("ann"), await time("ann"), await time("ann")].sort((a, b) => a - b)[1] ?? 0;
			const unknown = [await time("x"), await time("y"), await time("z")].sort((a, b) => a - b)[1] ?? 0;
			assert.ok(known > 50, `a wrong password took only ${known} ms`);
			assert.ok(unknown > known / 2 && unknown < known * 2, `wrong ${known} ms, unknown ${unknown} ms`);
		});
	});
});

test("a server that says nothing counts as away after the time-out", async () => {
	await withTcp(startMute(), async (mute) => {
		for (const encryption of [{}, { use_ssl: true }, { use_tls: true }]) {
			await withBackend(optionsFor(mute.port, encryption), async ({ signIn }) => {
				const begin = performance.now();
				await assert.rejects(signIn("ann", "correct horse"), isUnavailable);
				const milliseconds = performance.now() - begin;
				assert.ok(milliseconds >= 290 && milliseconds < 2_000, `${milliseconds} ms`);
			});
		}
	});
});

test("a server that talks nonsense or hangs up counts as away", async () => {
	for (const say of ["HTTP/1.1 400 Bad Request\r\n\r\n", "\x30\x84\xff\xff\xff\xff", "\x30\x00", "\x30\x05\x02\x01\x01\x61\x00"]) {
		await withTcp(
			startTcp((socket) => void socket.write(say, "latin1")),
			async ({ port }) => {
				await withBackend(optionsFor(port), async ({ signIn }) => assert.rejects(signIn("ann", "correct horse"), isUnavailable));
			},
		);
	}
	await withTcp(
		startTcp((socket) => socket.destroy()),
		async ({ port }) => {
			await withBackend(optionsFor(port), async ({ signIn }) => assert.rejects(signIn("ann", "correct horse"), isUnavailable));
		},
	);
});

test("a server that sends a heap of small messages does no harm", async () => {
	const message = Buffer.from([0x30, 9, 2, 1, 9, 0x64, 4, 4, 0, 0x30, 0]);
	const heap = startTcp((socket) => void socket.write(Buffer.concat(Array.from({ length: 50_000 }, () => message))));
	await withTcp(heap, async ({ port }) => {
		for (const encryption of [{}, { use_tls: true }]) {
			await withBackend(optionsFor(port, encryption), async ({ signIn }) => assert.rejects(signIn("ann", "correct horse"), isUnavailable));
		}
	});
});

test("what may be told to whoever signs in says nothing about the directory", async () => {
	const port = await findFreePort();
	await withBackend(optionsFor(port), async ({ signIn, log }) => {
		await assert.rejects(signIn("ann", "correct horse"), (error) => {
			assert.ok(isUnavailable(error) && error instanceof Error);
			assert.equal(error.message, "the directory is temporarily unavailable");
			assert.match(String(error.cause), /no directory server can be reached/);
			return true;
		});
		assert.equal(log.at(-1)?.fields["server"], `ldap://127.0.0.1:${port}`);
	});
});

test("stop ends sign-ins that wait, and may be called without a start", async () => {
	await withTcp(startMute(), async ({ port }) => {
		const { backend, signIn } = await startBackend(optionsFor(port, { network_timeout: 60 }));
		const waiting = Promise.allSettled([signIn("ann", "correct horse"), signIn("bob", "wrong")]);
		await backend.stop?.();
		for (const each of await waiting) assert.ok(each.status === "rejected" && isUnavailable(each.reason));
		await assert.rejects(signIn("ann", "correct horse"), isUnavailable);
		await backend.stop?.();
	});
});

test("a flood of sign-ins is cut off, and afterwards all is well", async () => {
	await withTcp(startMute(), async ({ port }) => {
		await withBackend(optionsFor(port), async ({ signIn }) => {
			const flood = await Promise.allSettled(Array.from({ length: 100 }, () => signIn("ann", "correct horse")));
			const tooMany = flood.filter((each) => each.status === "rejected" && String(each.reason).includes("too many"));
			assert.equal(tooMany.length, 36);
			await assert.rejects(signIn("ann", "correct horse"), (error) => isUnavailable(error) && !String(error).includes("too many"));
		});
	});
});

test.run();

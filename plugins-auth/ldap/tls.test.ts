import * as assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { test } from "uvu";
import { isSvcError } from "../../core/contract/index.ts";
import { type Certificates, createCertificates } from "../../core/testing/services/certificates.test-support.ts";
import { toOptions, withBackend } from "./backend.test-support.ts";
import type { LdapOptions } from "./options.ts";
import { people, type Slapd, service, slapdTest, toGroup, toPerson, withSlapd } from "./slapd.test-support.ts";
import { startProxy, type TcpServer } from "./tcp.test-support.ts";

const check = slapdTest(test, "openssl");
const entries = [toPerson("ann", "correct horse"), toGroup("staff", [`uid=ann,${people}`])];
const encryptions = [{ use_ssl: true }, { use_tls: true }] as const;

async function withTls(use: (slapd: Slapd, certificates: Certificates) => Promise<void>, names?: readonly string[]): Promise<void> {
	const certificates = await createCertificates(names);
	try {
		await withSlapd({ entries, certificates }, (slapd) => use(slapd, certificates));
	} finally {
		await certificates.remove();
	}
}

async function withProxy(proxy: Promise<TcpServer>, use: (proxy: TcpServer) => Promise<void>): Promise<void> {
	const started = await proxy;
	try {
		await use(started);
	} finally {
		await started.stop();
	}
}

/** What a sign-in with the right password comes to. */
async function outcome(options: LdapOptions, password = "correct horse"): Promise<string> {
	let answer = "";
	await withBackend(options, async ({ signIn }) => {
		answer = await signIn("ann", password).then(
			(username) => username ?? "refused",
			(error: unknown) => (isSvcError(error) ? error.code : String(error)),
		);
	});
	return answer;
}

check("LDAPS and StartTLS work with the certificate of a private authority", async () => {
	await withTls(async (slapd, { ca }) => {
		for (const encryption of encryptions) {
			for (const host of ["127.0.0.1", "localhost"]) {
				assert.equal(await outcome(toOptions(slapd, { ...encryption, host, cacert: ca })), "ann");
				assert.equal(await outcome(toOptions(slapd, { ...encryption, host, cacert: ca }), "wrong"), "refused");
			}
		}
		assert.match(await slapd.log(), /TLS established/);
	});
});

check("passwords are not seen on the way, by LDAPS nor by StartTLS", async () => {
	await withTls(async (slapd, { ca }) => {
		for (const encryption of encryptions) {
			const port = "use_ssl" in encryption ? slapd.ports.ldaps : slapd.ports.ldap;
			await withProxy(startProxy(port), async (proxy) => {
				assert.equal(await outcome(toOptions(slapd, { ...encryption, cacert: ca, port: proxy.port })), "ann");
				for (const secret of ["correct horse", service.password, service.dn]) assert.ok(!proxy.received().includes(secret));
			});
		}
	});
});

check("a certificate of another authority is refused before any password is sent", async () => {
	const other = await createCertificates();
	try {
		await withTls(async (slapd) => {
			for (const encryption of encryptions) {
				assert.equal(await outcome(toOptions(slapd, { ...encryption, cacert: other.ca })), "SVC_UNAVAILABLE");
			}
			assert.doesNotMatch(await slapd.log(), /BIND dn/);
		});
	} finally {
		await other.remove();
	}
});

check("a certificate for another name is refused", async () => {
	await withTls(
		async (slapd, { ca }) => {
			for (const encryption of encryptions) {
				assert.equal(await outcome(toOptions(slapd, { ...encryption, cacert: ca })), "SVC_UNAVAILABLE");
				assert.equal(await outcome(toOptions(slapd, { ...encryption, cacert: ca, host: "localhost" })), "SVC_UNAVAILABLE");
			}
			assert.doesNotMatch(await slapd.log(), /BIND dn/);
		},
		["DNS:ldap.example.org", "IP:127.0.0.9"],
	);
});

check("without cacert the certificate is not verified, which the log says, unless client_options ask for it", async () => {
	await withTls(async (slapd) => {
		await withBackend(toOptions(slapd, { use_ssl: true }), async ({ signIn, log }) => {
			assert.equal(await signIn("ann", "correct horse"), "ann");
			assert.match(String(log[0]?.fields["warning"]), /not verified/);
		});
		assert.equal(await outcome(toOptions(slapd, { use_ssl: true, client_options: { "24582": 2 } })), "SVC_UNAVAILABLE");
	});
});

check("a server without TLS gets no password when StartTLS is asked for", async () => {
	await withSlapd({ entries }, async (slapd) => {
		assert.equal(await outcome(toOptions(slapd, { use_tls: true })), "SVC_UNAVAILABLE");
		assert.doesNotMatch(await slapd.log(), /BIND dn/);
	});
});

check("a connection that breaks after StartTLS is not opened again in the clear", async () => {
	await withTls(async (slapd, { ca }) => {
		// Pieces from the server: the answer to StartTLS, then the handshake, then answers.
		for (const breakAt of [1, 2, 3, 4]) {
			const toClient = (piece: Buffer, { sent }: { sent: number }) => (sent >= breakAt ? undefined : piece);
			await withProxy(startProxy(slapd.ports.ldap, { toClient }), async (proxy) => {
				assert.equal(await outcome(toOptions(slapd, { use_tls: true, cacert: ca, port: proxy.port })), "SVC_UNAVAILABLE");
				assert.equal(proxy.connections(), 1);
				for (const secret of ["correct horse", service.password]) assert.ok(!proxy.received().includes(secret));
			});
		}
	});
});

check("answers slipped in before the encryption begins let nobody in", async () => {
	const success = (id: number) => Buffer.from([0x30, 12, 2, 1, id, 0x61, 7, 10, 1, 0, 4, 0, 4, 0]);
	const slipped = Buffer.concat([1, 2, 3, 4, 5].map(success));
	// A beginning that swallows what comes next, too.
	for (const extra of [
		slipped,
		slipped.subarray(0, 20),
		Buffer.concat([success(3).subarray(0, 1), Buffer.from([120]), success(2).subarray(2)]),
	]) {
		await withTls(async (slapd, { ca }) => {
			const toClient = (piece: Buffer, { sent }: { sent: number }) => (sent === 0 ? Buffer.concat([piece, extra]) : piece);
			await withProxy(startProxy(slapd.ports.ldap, { toClient }), async (proxy) => {
				const options = toOptions(slapd, { use_tls: true, cacert: ca, port: proxy.port, network_timeout: 1 });
				assert.notEqual(await outcome(options, "wrong"), "ann");
			});
		});
	}
});

check("a client certificate can be shown to the server", async () => {
	const certificates = await createCertificates();
	try {
		const configuration = ["security ssf=1"];
		await withSlapd({ entries, certificates, configuration }, async (slapd) => {
			const client_options = { "24580": certificates.certificate, "24581": certificates.key, "24583": 772 };
			assert.equal(await outcome(toOptions(slapd, { use_ssl: true, cacert: certificates.ca, client_options })), "ann");
			assert.equal(await outcome(toOptions(slapd)), "SVC_UNAVAILABLE");
		});
	} finally {
		await certificates.remove();
	}
});

check("certificate files that are missing or hold no certificate stop the start", async () => {
	await withTls(async (slapd, { ca, key }) => {
		const garbage = `${ca}.txt`;
		await writeFile(garbage, "no certificate");
		for (const [cacert, reason] of [
			["/nowhere/ca.crt", /cacert: file "\/nowhere\/ca.crt" cannot be read \(ENOENT\)/],
			[garbage, /cacert: file ".*" contains no PEM certificate/],
			[key, /cacert: file ".*" contains no PEM certificate/],
		] as const) {
			const start = withBackend(toOptions(slapd, { use_ssl: true, cacert }), async () => undefined);
			await assert.rejects(start, (error) => isSvcError(error, "SVC_CONFIG") && reason.test(error.message));
		}
		await rm(garbage);
	});
});

test.run();

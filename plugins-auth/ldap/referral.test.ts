// test-suite: full
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError } from "../../core/contract/index.ts";
import { createCertificates } from "../../core/testing/services/certificates.test-support.ts";
import { findFreePort } from "../../core/testing/services/free-port.test-support.ts";
import { toOptions, withBackend } from "./backend.test-support.ts";
import type { SearchQuery } from "./connection.ts";
import { parseReferral } from "./directory.ts";
import type { LdapOptions } from "./options.ts";
import { type LdifEntry, people, type Slapd, slapdTest, suffix, toGroup, toPerson, withSlapd } from "./slapd.test-support.ts";

const check = slapdTest(test);
const tlsCheck = slapdTest(test, "openssl");
const ann = toPerson("ann", "correct horse");
const carl = toPerson("carl", "third password");
const staff = toGroup("staff", [`uid=ann,${people}`, `uid=carl,${people}`]);

function toReferral(name: string, urls: readonly string[], parent = people): LdifEntry {
	return { dn: `ou=${name},${parent}`, objectClass: ["referral", "extensibleObject"], ou: name, ref: urls };
}

function toUnit(name: string): LdifEntry {
	return { dn: `ou=${name},${suffix}`, objectClass: "organizationalUnit", ou: name };
}

/** What signing in comes to: the name, "refused" or the code of the error. */
async function outcome(slapd: Slapd, options: Partial<LdapOptions>, user = "carl", password = "third password"): Promise<string> {
	let answer = "";
	await withBackend(toOptions(slapd, { chase_referrals: true, ...options }), async ({ signIn }) => {
		answer = await signIn(user, password).then(
			(username) => username ?? "refused",
			(error: unknown) => (isSvcError(error) ? error.code : String(error)),
		);
	});
	return answer;
}

check("users of another server get in when referrals are chased, and are unknown when not", async () => {
	await withSlapd({ entries: [carl] }, async (branch) => {
		const referral = toReferral("branch", [`ldap://127.0.0.1:${branch.ports.ldap}/${people}`]);
		await withSlapd({ entries: [ann, staff, referral] }, async (slapd) => {
			assert.equal(await outcome(slapd, {}), "carl");
			assert.equal(await outcome(slapd, {}, "carl", "wrong"), "refused");
			assert.equal(await outcome(slapd, {}, "ann", "correct horse"), "ann");
			assert.equal(await outcome(slapd, { chase_referrals: false }), "refused");
			assert.equal(await outcome(slapd, { chase_referrals: false }, "ann", "correct horse"), "ann");
			assert.match(await branch.log(), /BIND dn="cn=service,/);
			assert.match(await branch.log(), /BIND dn="uid=carl,/);
		});
	});
});

check("the same name on two servers signs nobody in", async () => {
	const other = { ...toPerson("ann", "correct horse"), dn: `uid=ann,ou=branch,${suffix}` };
	await withSlapd({ entries: [toUnit("branch"), other] }, async (branch) => {
		const referral = toReferral("branch", [`ldap://127.0.0.1:${branch.ports.ldap}/ou=branch,${suffix}`]);
		await withSlapd({ entries: [ann, staff, referral] }, async (slapd) => {
			assert.equal(await outcome(slapd, {}, "ann", "correct horse"), "refused");
		});
	});
});

check("referrals that lead in a circle come to an end", async () => {
	const ports = { ldap: await findFreePort(), ldaps: 0 };
	const back = toReferral("back", [`ldap://127.0.0.1:${ports.ldap}/${people}`]);
	await withSlapd({ entries: [carl, back] }, async (branch) => {
		const referral = toReferral("branch", [`ldap://127.0.0.1:${branch.ports.ldap}/${people}`]);
		await withSlapd({ entries: [ann, staff, referral], ports }, async (slapd) => {
			assert.equal(await outcome(slapd, {}), "carl");
			assert.equal(await outcome(slapd, {}, "ann", "correct horse"), "ann");
			assert.equal(await outcome(slapd, {}, "nobody"), "refused");
		});
	});
});

check("a chain of referrals without an end is given up", async () => {
	const ports = { ldap: await findFreePort(), ldaps: 0 };
	const chain = (length: number) =>
		Array.from({ length }, (_, index) => index + 1).flatMap((hop) => [
			toUnit(`hop${hop}`),
			toReferral(
				"next",
				[`ldap://127.0.0.1:${ports.ldap}/ou=hop${hop}${hop === length ? `,${suffix}??sub` : `,${suffix}`}`],
				hop === 1 ? people : `ou=hop${hop - 1},${suffix}`,
			),
		]);
	await withSlapd({ entries: [ann, staff, ...chain(5)], ports }, async (slapd) => {
		assert.equal(await outcome(slapd, {}, "ann", "correct horse"), "ann");
	});
	await withSlapd({ entries: [ann, staff, ...chain(6)], ports }, async (slapd) => {
		assert.equal(await outcome(slapd, {}, "ann", "correct horse"), "SVC_UNAVAILABLE");
	});
});

check("of servers that stand in for each other one is enough; when none answers nobody can tell", async () => {
	await withSlapd({ entries: [carl] }, async (branch) => {
		const dead = `ldap://127.0.0.2:${branch.ports.ldap}/${people}`;
		const alive = `ldap://127.0.0.1:${branch.ports.ldap}/${people}`;
		await withSlapd({ entries: [ann, staff, toReferral("branch", [dead, alive])] }, async (slapd) => {
			assert.equal(await outcome(slapd, {}), "carl");
		});
		await withSlapd({ entries: [ann, staff, toReferral("branch", [dead])] }, async (slapd) => {
			assert.equal(await outcome(slapd, {}), "SVC_UNAVAILABLE");
			assert.equal(await outcome(slapd, {}, "ann", "correct horse"), "SVC_UNAVAILABLE");
			assert.equal(await outcome(slapd, { chase_referrals: false }, "ann", "correct horse"), "ann");
		});
	});
});

check("a referral in the place of the whole search leaves nobody able to tell", async () => {
	await withSlapd({ entries: [carl] }, async (branch) => {
		const referral = toReferral("branch", [`ldap://127.0.0.1:${branch.ports.ldap}/${people}`]);
		await withSlapd({ entries: [ann, staff, referral] }, async (slapd) => {
			for (const chase_referrals of [true, false]) {
				assert.equal(await outcome(slapd, { chase_referrals, base_ou: referral.dn }), "SVC_UNAVAILABLE");
			}
		});
	});
});

tlsCheck("a referral never lowers the protection: no LDAP after LDAPS, StartTLS again after StartTLS", async () => {
	const certificates = await createCertificates();
	try {
		await withSlapd({ entries: [carl], certificates }, async (branch) => {
			const referral = toReferral("branch", [`ldap://127.0.0.1:${branch.ports.ldap}/${people}`]);
			const secure = toReferral("branch", [`ldaps://127.0.0.1:${branch.ports.ldaps}/${people}`]);
			const cacert = certificates.ca;
			await withSlapd({ entries: [ann, staff, referral], certificates }, async (slapd) => {
				assert.equal(await outcome(slapd, { use_ssl: true, cacert }), "SVC_UNAVAILABLE");
				assert.doesNotMatch(await branch.log(), /BIND dn/);
				assert.equal(await outcome(slapd, { use_tls: true, cacert }), "carl");
				assert.equal((await branch.log()).match(/TLS established/g)?.length, 2);
			});
			await withSlapd({ entries: [ann, staff, secure], certificates }, async (slapd) => {
				assert.equal(await outcome(slapd, { use_ssl: true, cacert }), "carl");
				assert.equal(await outcome(slapd, { use_tls: true, cacert }), "carl");
			});
		});
	} finally {
		await certificates.remove();
	}
});

const query: SearchQuery = { base: people, scope: "one", filter: "(uid=ann)", attributes: [], timeLimit: 10 };

test("a referral changes server, base and scope of a search, never its filter", () => {
	const { server, query: next } = parseReferral("ldap://ldap.example.org/ou=a%20b,dc=x?cn?base?(uid=*)", query, "tls");
	assert.deepEqual(server, { host: "ldap.example.org", port: 389, encryption: "tls" });
	assert.deepEqual(next, { ...query, base: "ou=a b,dc=x", scope: "base" });
	const same = parseReferral("ldaps://[::1]:1636", query, "none");
	assert.deepEqual(same, { server: { host: "::1", port: 1636, encryption: "ssl" }, query });
});

test("referrals of other schemes, without server, or less protected are not followed", () => {
	const refused = [
		["http://example.org/", "none"],
		["ldapi://%2Fvar%2Frun%2Fldapi/", "none"],
		["ldap:///dc=x", "none"],
		["ldap://example.org/dc=x", "ssl"],
		["ldap://example.org/dc=x????!bindname=cn=y", "none"],
		["no url", "none"],
		["ldap://example.org/%E0%A4%A", "none"],
	] as const;
	for (const [url, encryption] of refused) assert.throws(() => parseReferral(url, query, encryption), Error, url);
});

test.run();

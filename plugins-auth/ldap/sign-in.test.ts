import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError } from "../../core/contract/index.ts";
import { startBackend, toOptions, withBackend } from "./backend.test-support.ts";
import type { LdapOptions } from "./options.ts";
import { type LdifEntry, people, type Slapd, service, slapdTest, suffix, toGroup, toPerson, withSlapd } from "./slapd.test-support.ts";

const check = slapdTest(test);
const annDn = `uid=ann,${people}`;
const ann = toPerson("ann", "correct horse", { mail: "ann@example.org" });
const bob = toPerson("bob", "battery staple", { mail: "bob@example.org" });
const staff = toGroup("staff", [annDn]);

/** Whether ann gets in with her password, with these entries and options. */
async function letsIn(slapd: Slapd, options: Partial<LdapOptions>, username = "ann", password = "correct horse"): Promise<boolean> {
	let answer: string | undefined;
	await withBackend(toOptions(slapd, options), async ({ signIn }) => {
		answer = await signIn(username, password);
	});
	return answer !== undefined;
}

const groupTypes: readonly LdifEntry[] = [
	toGroup("by-member", [annDn]),
	{ dn: `cn=by-unique,ou=groups,${suffix}`, objectClass: "groupOfUniqueNames", cn: "by-unique", uniqueMember: [annDn] },
	{ dn: `cn=by-uid,ou=groups,${suffix}`, objectClass: "posixGroup", cn: "by-uid", gidNumber: "100", memberUid: ["ann"] },
	toGroup("others", [`uid=bob,${people}`]),
];

check("groups by member, uniqueMember and memberUid count, and the identity names them", async () => {
	await withSlapd({ entries: [ann, bob, ...groupTypes] }, async (slapd) => {
		for (const group of ["cn=by-member", "cn=by-unique", "cn=by-uid"]) assert.ok(await letsIn(slapd, { group_dns: [group] }), group);
		assert.ok(!(await letsIn(slapd, { group_dns: ["cn=others"] })));
		await withBackend(toOptions(slapd, { group_dns: ["cn=by-uid"] }), async ({ authenticate }) => {
			const identity = await authenticate("ann", "correct horse");
			assert.equal(identity?.username, "ann");
			const names = ["by-member", "by-uid", "by-unique"].map((name) => `cn=${name},ou=groups,${suffix}`);
			assert.deepEqual([...(identity?.groups ?? [])].sort(), names);
		});
	});
});

/** The server gives at most 50 entries at once, and as many in all as the line says. */
const limited = (total: string) => [`limits * size.soft=50 size.hard=50 size.pr=50 size.prtotal=${total}`];
const manyGroups = Array.from({ length: 120 }, (_, index) => toGroup(`g${index}`, [annDn]));

check("a user in more groups than the directory gives at once signs in with all of them", async () => {
	await withSlapd({ entries: [ann, ...manyGroups], configuration: limited("unlimited") }, async (slapd) => {
		await withBackend(toOptions(slapd, { group_dns: ["cn=g119"] }), async ({ authenticate }) => {
			const identity = await authenticate("ann", "correct horse");
			assert.equal(new Set(identity?.groups).size, 120);
		});
	});
});

check("a required group that is named in full is found where the directory gives only some groups", async () => {
	await withSlapd({ entries: [ann, bob, ...manyGroups], configuration: limited("60") }, async (slapd) => {
		const full = `cn=g119,ou=groups,${suffix}`;
		const signIn = async (username: string, password: string) => {
			let groups: readonly string[] | undefined;
			await withBackend(toOptions(slapd, { group_dns: [full] }), async ({ authenticate, log }) => {
				groups = (await authenticate(username, password))?.groups;
				if (groups !== undefined) assert.ok(log.some(({ message }) => message.includes("does not return all groups")));
			});
			return groups;
		};
		assert.ok((await signIn("ann", "correct horse"))?.includes(full));
		assert.equal(await signIn("bob", "battery staple"), undefined);
	});
});

check("with nested_groups the groups of a user's groups count, in circles too", async () => {
	const inGroup = (name: string, member: string) => toGroup(name, [`cn=${member},ou=groups,${suffix}`]);
	const odd = { ...toGroup("x", [annDn]), dn: `cn=Ops (EU)\\, *,ou=groups,${suffix}`, cn: "Ops (EU), *" };
	const nested = [odd, toGroup("top", [odd.dn]), inGroup("above", "top"), inGroup("circle", "above"), toGroup("apart", [])];
	const circle = { ...inGroup("back", "circle"), dn: `cn=back,ou=groups,${suffix}` };
	const entries = [ann, bob, ...nested, { ...circle, member: [`cn=circle,ou=groups,${suffix}`, `cn=back,ou=groups,${suffix}`] }];
	await withSlapd({ entries }, async (slapd) => {
		for (const group of ["cn=top", "cn=above", "cn=circle", "cn=back"]) {
			assert.ok(!(await letsIn(slapd, { group_dns: [group] })), `${group} without the option`);
			assert.ok(await letsIn(slapd, { group_dns: [group], nested_groups: true }), group);
			assert.ok(!(await letsIn(slapd, { group_dns: [group], nested_groups: true }, "bob", "battery staple")), `${group} for bob`);
		}
		assert.ok(!(await letsIn(slapd, { group_dns: ["cn=apart"], nested_groups: true })));
	});
});

check("group_dns_check says whether all groups are needed or one", async () => {
	await withSlapd({ entries: [ann, ...groupTypes] }, async (slapd) => {
		const both = ["cn=by-member", "cn=by-uid"];
		const one = ["cn=by-member", "cn=others"];
		const full = one.map((name) => `${name},ou=groups,${suffix}`);
		assert.ok(await letsIn(slapd, { group_dns: both }));
		assert.ok(!(await letsIn(slapd, { group_dns: one })));
		assert.ok(!(await letsIn(slapd, { group_dns: full, group_dns_check: "and" })));
		assert.ok(await letsIn(slapd, { group_dns: one, group_dns_check: "or" }));
		assert.ok(await letsIn(slapd, { group_dns: full, group_dns_check: "or" }));
		assert.ok(!(await letsIn(slapd, { group_dns: ["cn=others", "cn=nothing"], group_dns_check: "or" })));
	});
});

check("groups are compared without regard to case, spaces and ways of escaping, and otherwise whole", async () => {
	const odd = { ...toGroup("x", [annDn]), dn: `cn=Ops\\, (EU) ä,ou=groups,${suffix}`, cn: "Ops, (EU) ä" };
	await withSlapd({ entries: [ann, odd] }, async (slapd) => {
		for (const group of [`CN=ops\\2C (eu) \\c3\\a4 , OU=Groups,${suffix}`, "cn=Ops\\, (EU) ä"]) {
			assert.ok(await letsIn(slapd, { group_dns: [group] }), group);
		}
		for (const group of ["cn=Ops", "cn=ops\\, (eu)", `cn=Ops\\, (EU) ä,${suffix}`, `ou=groups,${suffix}`]) {
			assert.ok(!(await letsIn(slapd, { group_dns: [group] })), group);
		}
	});
});

check("without a required group the right password is refused, and the log says which groups there are", async () => {
	await withSlapd({ entries: [ann, bob, staff, toGroup("guests", [`uid=bob,${people}`])] }, async (slapd) => {
		await withBackend(toOptions(slapd), async ({ signIn, log }) => {
			assert.equal(await signIn("bob", "battery staple"), undefined);
			const line = log.find(({ message }) => message.includes("required groups"));
			assert.deepEqual(line?.fields, { user: "bob", required: ["cn=staff"], groups: [`cn=guests,ou=groups,${suffix}`] });
		});
	});
});

check("a name that matches two entries signs nobody in", async () => {
	const twin = { ...ann, dn: `cn=twin,${people}` };
	const both = toGroup("staff", [annDn, twin.dn]);
	await withSlapd({ entries: [ann, twin, both] }, async (slapd) => {
		assert.ok(!(await letsIn(slapd, {})));
		assert.ok(await letsIn(slapd, { account_pattern: "(&(uid={username})(!(cn=twin)))", base_ou: annDn }));
	});
});

check("names cannot widen or break out of the search", async () => {
	const odd = { ...toPerson("(x)*\\", "odd password"), dn: `uid=(x)*\\\\,${people}` };
	await withSlapd({ entries: [ann, odd, toGroup("staff", [annDn, odd.dn])] }, async (slapd) => {
		await withBackend(toOptions(slapd), async ({ signIn, log }) => {
			const names = ["*", "a*", "ann)(uid=*", "*)(objectClass=*", "ann\0", "\0", "a\\6en", "ann,ou=people", "nobody)(|(uid=ann)", annDn];
			for (const name of names) assert.equal(await signIn(name, "correct horse"), undefined, JSON.stringify(name));
			assert.equal(await signIn("(x)*\\", "odd password"), "(x)*\\");
			assert.ok(!log.some(({ message }) => message.includes("more than one")), "a name matched more than one entry");
		});
	});
});

check("an empty password is refused without asking the directory", async () => {
	await withSlapd({ entries: [ann, staff], configuration: ["require none"] }, async (slapd) => {
		assert.ok(!(await letsIn(slapd, {}, "ann", "")));
		assert.ok(!(await letsIn(slapd, {}, "", "")));
		assert.doesNotMatch(await slapd.log(), /BIND dn/);
	});
});

check("the name is spelled as in the directory, unless a pattern of the site's own finds users", async () => {
	await withSlapd({ entries: [ann, staff] }, async (slapd) => {
		await withBackend(toOptions(slapd), async ({ signIn }) => {
			for (const typed of ["ann", "ANN", "Ann", " ann "]) assert.equal(await signIn(typed, "correct horse"), "ann", typed);
		});
		await withBackend(toOptions(slapd, { account_pattern: "|(uid={username})(mail={username})" }), async ({ signIn }) => {
			assert.equal(await signIn("ann@example.org", "correct horse"), "ann@example.org");
			assert.equal(await signIn("bob@example.org", "correct horse"), undefined);
		});
		await withBackend(toOptions(slapd, { id_attr: "mail" }), async ({ signIn }) => {
			assert.equal(await signIn("Ann@example.org", "correct horse"), "ann@example.org");
			assert.equal(await signIn("ann", "correct horse"), undefined);
		});
	});
});

check("group_pattern and base_ou_group say where groups come from", async () => {
	const owned = { ...toGroup("owned", []), owner: annDn };
	const elsewhere = { ...toGroup("staff", [annDn]), dn: `cn=staff,${people}` };
	await withSlapd({ entries: [ann, owned, elsewhere] }, async (slapd) => {
		assert.ok(await letsIn(slapd, { group_dns: ["cn=owned"], group_pattern: "(&(objectClass=groupOfNames)(owner={user_dn}))" }));
		assert.ok(!(await letsIn(slapd, { group_dns: ["cn=owned"] })));
		assert.ok(await letsIn(slapd, { base_ou_group: null }));
		assert.ok(!(await letsIn(slapd, {})));
	});
});

check("scope says how deep users and groups are searched", async () => {
	const deep = { ...toPerson("deep", "deep password"), dn: `uid=deep,ou=inner,${people}` };
	const inner = { dn: `ou=inner,${people}`, objectClass: "organizationalUnit", ou: "inner" };
	await withSlapd({ entries: [ann, inner, deep, toGroup("staff", [annDn, deep.dn])] }, async (slapd) => {
		const reaches = async (scope: "base" | "onelevel" | "subtree") => [
			await letsIn(slapd, { scope }),
			await letsIn(slapd, { scope }, "deep", "deep password"),
		];
		assert.deepEqual(await reaches("subtree"), [true, true]);
		assert.deepEqual(await reaches("onelevel"), [true, false]);
		assert.deepEqual(await reaches("base"), [false, false]);
		assert.ok(await letsIn(slapd, { scope: "base", base_ou: annDn, base_ou_group: `cn=staff,ou=groups,${suffix}` }));
	});
});

check("somebody in hundreds of groups has them all", async () => {
	const many = Array.from({ length: 400 }, (_, index) => toGroup(`group-${index}-${"x".repeat(200)}`, [annDn]));
	await withSlapd({ entries: [ann, staff, ...many] }, async (slapd) => {
		await withBackend(toOptions(slapd), async ({ authenticate }) => {
			assert.equal((await authenticate("ann", "correct horse"))?.groups?.length, 401);
		});
	});
});

check("membership through another group does not count", async () => {
	const outer = toGroup("staff", [`cn=team,ou=groups,${suffix}`]);
	await withSlapd({ entries: [ann, toGroup("team", [annDn]), outer] }, async (slapd) => assert.ok(!(await letsIn(slapd, {}))));
});

check("an account without a password is refused", async () => {
	const { userPassword: _, ...bare } = ann;
	await withSlapd({ entries: [bare as LdifEntry, staff] }, async (slapd) => assert.ok(!(await letsIn(slapd, {}))));
});

check("when the service account or a base is wrong, nobody can tell, whatever the password", async () => {
	await withSlapd({ entries: [ann, staff] }, async (slapd) => {
		const wrong: readonly Partial<LdapOptions>[] = [
			{ bind_password: "wrong" },
			{ bind_dn: `cn=nobody,${suffix}` },
			{ base_ou: `ou=nowhere,${suffix}` },
			{ base_ou_group: `ou=nowhere,${suffix}` },
		];
		for (const options of wrong) {
			const { backend, signIn } = await startBackend(toOptions(slapd, options));
			for (const password of ["correct horse", "wrong"]) {
				await assert.rejects(signIn("ann", password), (error) => isSvcError(error, "SVC_UNAVAILABLE"), JSON.stringify(options));
			}
			await backend.stop?.();
		}
	});
});

check("with debug every call is logged, and never a password", async () => {
	await withSlapd({ entries: [ann, staff] }, async (slapd) => {
		await withBackend(toOptions(slapd, { debug: true }), async ({ signIn, log }) => {
			assert.equal(await signIn("ann", "correct horse"), "ann");
			assert.equal(await signIn("ann", "wrong secret"), undefined);
			assert.equal(await signIn("nobody", "wrong secret"), undefined);
			const calls = log.filter(({ message }) => message === "ldap call").map(({ fields }) => fields["call"]);
			for (const call of ["connect", "bind", "search", "unbind"]) assert.ok(calls.includes(call), call);
			const text = JSON.stringify(log, (_, value: unknown) => (value instanceof Error ? `${value.stack}` : value));
			assert.match(text, /"entries":\["uid=ann,ou=people/);
			for (const secret of ["correct horse", "wrong secret", service.password]) assert.ok(!text.includes(secret), secret);
		});
	});
});

check("without debug a sign-in leaves no lines about calls", async () => {
	await withSlapd({ entries: [ann, staff] }, async (slapd) => {
		await withBackend(toOptions(slapd), async ({ signIn, log }) => {
			assert.equal(await signIn("ann", "correct horse"), "ann");
			assert.deepEqual(
				log.map(({ message }) => message),
				["auth backend ldap"],
			);
		});
	});
});

test.run();

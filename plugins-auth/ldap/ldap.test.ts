import { test } from "uvu";
import { testAuthBackend } from "../../core/testing/auth-suite.ts";
import { startBackend, toOptions } from "./backend.test-support.ts";
import { people, slapdTest, startSlapd, toGroup, toPerson } from "./slapd.test-support.ts";

testAuthBackend({
	test: slapdTest(test),
	name: "ldap",
	create: async (users) => {
		const staff = toGroup(
			"staff",
			users.map(({ username }) => `uid=${username},${people}`),
		);
		const slapd = await startSlapd({ entries: [...users.map(({ username, password }) => toPerson(username, password)), staff] });
		const { backend } = await startBackend(toOptions(slapd));
		return { backend, cutOff: slapd.stop, cleanUp: slapd.stop };
	},
});

test.run();

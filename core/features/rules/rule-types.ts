export const ruleTypes = [
	{
		id: "000000000000000000000001",
		name: "standard",
		description: "Evaluated for every event of its trigger.",
		enabled: true,
		parameters: {},
	},
	{
		id: "000000000000000000000002",
		name: "backstop",
		description: "Evaluated only if no standard rule of the trigger matched.",
		enabled: true,
		parameters: {},
	},
] as const;

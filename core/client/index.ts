export { type Addresses, defaultApiUrl, resolveAddresses } from "./addresses.ts";
export { type Client, type ClientOptions, createClient } from "./client.ts";
export type { ConfigClient, ConfigRecord, ConfigSchemaRecord } from "./configs.ts";
export type { FollowOptions } from "./follow-output.ts";
export type { InquiryClient, InquiryRecord } from "./inquiries.ts";
export type { KeyClient, KeyInput, KeyRecord, RotationRecord } from "./keys.ts";
export type * from "./records.ts";
export type { TimerClient, TimerRecord } from "./timers.ts";
export type { WebhookClient, WebhookDeliveryRecord, WebhookRecord } from "./webhooks.ts";

<?php
// Verifies a webhook by each of its two signatures. Copy the functions into your receiver; the lines below them
// try them out on a body from stdin, with secrets and headers from the environment, as CGI names them.
// In a receiver, the body is file_get_contents('php://input'), and the headers are in $_SERVER under these names.
declare(strict_types=1);

const TOLERANCE_SECONDS = 300;

/**
 * Standard Webhooks: also refuses a request that is repeated later. $body has the raw bytes, $secrets one
 * secret, or both during a rotation. One signature that matches is enough.
 */
function is_genuine(string $body, array $headers, array $secrets, ?int $now = null): bool
{
    $timestamp = $headers['webhook-timestamp'];
    if (!preg_match('/^[0-9]+$/D', $timestamp) || abs(($now ?? time()) - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $signed = $headers['webhook-id'] . '.' . $timestamp . '.' . $body;
    $given = explode(' ', $headers['webhook-signature']);
    foreach ($secrets as $secret) {
        $key = base64_decode(substr($secret, strlen('whsec_')));
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
        foreach ($given as $signature) {
            // In constant time, since the time must not tell how much of a guess is right.
            if (hash_equals($expected, $signature)) {
                return true;
            }
        }
    }
    return false;
}

/** The header Signature: the HMAC of the body alone, keyed with the secret as it was shown. */
function has_signature(string $body, array $headers, array $secrets): bool
{
    foreach ($secrets as $secret) {
        if (hash_equals(hash_hmac('sha256', $body, $secret), $headers['signature'])) {
            return true;
        }
    }
    return false;
}

$headers = [
    'webhook-id' => (string) getenv('HTTP_WEBHOOK_ID'),
    'webhook-timestamp' => (string) getenv('HTTP_WEBHOOK_TIMESTAMP'),
    'webhook-signature' => (string) getenv('HTTP_WEBHOOK_SIGNATURE'),
    'signature' => (string) getenv('HTTP_SIGNATURE'),
];
$secrets = explode(' ', (string) getenv('WEBHOOK_SECRETS'));
$body = (string) file_get_contents('php://stdin');
echo 'webhook-signature ', is_genuine($body, $headers, $secrets) ? 'matches' : 'does not match', "\n";
echo 'Signature ', has_signature($body, $headers, $secrets) ? 'matches' : 'does not match', "\n";

// Verifies a webhook by each of its two signatures. Copy the functions into your receiver; main tries them out
// on a body from stdin, with secrets and headers from the environment, as CGI names them.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

const tolerance = 5 * time.Minute

// isGenuine checks Standard Webhooks: it also refuses a request that is repeated later. body has the raw bytes,
// secrets one secret, or both during a rotation. One signature that matches is enough.
func isGenuine(body []byte, headers map[string]string, secrets []string, now time.Time) bool {
	timestamp := headers["webhook-timestamp"]
	seconds, err := strconv.ParseUint(timestamp, 10, 40)
	if err != nil || now.Sub(time.Unix(int64(seconds), 0)).Abs() > tolerance {
		return false
	}
	signed := append([]byte(headers["webhook-id"]+"."+timestamp+"."), body...)
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			continue
		}
		expected := "v1," + base64.StdEncoding.EncodeToString(sum(key, signed))
		for _, given := range strings.Split(headers["webhook-signature"], " ") {
			// In constant time, since the time must not tell how much of a guess is right.
			if hmac.Equal([]byte(given), []byte(expected)) {
				return true
			}
		}
	}
	return false
}

// hasSignature checks the header Signature: the HMAC of the body alone, keyed with the secret as it was shown.
func hasSignature(body []byte, headers map[string]string, secrets []string) bool {
	for _, secret := range secrets {
		expected := hex.EncodeToString(sum([]byte(secret), body))
		if hmac.Equal([]byte(headers["signature"]), []byte(expected)) {
			return true
		}
	}
	return false
}

func sum(key, data []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(data)
	return mac.Sum(nil)
}

func main() {
	headers := map[string]string{
		"webhook-id":        os.Getenv("HTTP_WEBHOOK_ID"),
		"webhook-timestamp": os.Getenv("HTTP_WEBHOOK_TIMESTAMP"),
		"webhook-signature": os.Getenv("HTTP_WEBHOOK_SIGNATURE"),
		"signature":         os.Getenv("HTTP_SIGNATURE"),
	}
	secrets := strings.Split(os.Getenv("WEBHOOK_SECRETS"), " ")
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	fmt.Println("webhook-signature", words(isGenuine(body, headers, secrets, time.Now())))
	fmt.Println("Signature", words(hasSignature(body, headers, secrets)))
}

func words(matches bool) string {
	if matches {
		return "matches"
	}
	return "does not match"
}
